#include "trainer/data/idx_file.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "tests/trainer/data/idx_files.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

namespace idx_file_test {

const std::filesystem::path test_images =
    "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz";

std::string error_of(const std::filesystem::path& path, Errc code = Errc::corruption) {
  const auto read = read_idx(path, 3);
  BOOST_REQUIRE(!read);
  BOOST_TEST((read.error().code == code));
  BOOST_TEST(read.error().context.find(path.string()) != std::string::npos);
  return read.error().context;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace idx_file_test

BOOST_FIXTURE_TEST_SUITE(idx_file_test, IdxFolder)

BOOST_AUTO_TEST_CASE(plain_and_gzipped_files_read_alike) {
  const Bytes bytes = idx_bytes({5, 3, 2}, 30);
  const auto plain = read_idx(write("plain", bytes), 3);
  const auto packed = read_idx(write("packed", gzip(bytes)), 3);
  BOOST_REQUIRE((plain && packed));
  BOOST_TEST((plain->dimensions == std::vector<std::size_t>{5, 3, 2}));
  BOOST_TEST((plain->values == Bytes(bytes.begin() + 16, bytes.end())));
  BOOST_TEST((packed->values == plain->values));
  BOOST_TEST(packed->crc32 == plain->crc32);
  BOOST_TEST(plain->crc32 == crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

BOOST_AUTO_TEST_CASE(a_truncated_download_is_refused_with_both_sizes) {
  Bytes bytes = read_file(test_images);
  BOOST_REQUIRE_MESSAGE(bytes.size() > 4'000'000, "needs the package dataset-fashion-mnist");
  bytes.resize(3'000'000);
  const std::string text = error_of(write("truncated.gz", bytes));
  BOOST_TEST(contains(text, "promises 7840016 bytes, found "));
  BOOST_TEST(contains(text, "the gzip stream ends too early"));
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_near_the_end_is_noticed) {
  Bytes bytes = read_file(test_images);
  BOOST_REQUIRE(bytes.size() > 4'000'000);
  for (std::size_t from_end : {1U, 5U, 100U}) {
    Bytes flipped = bytes;
    flipped[flipped.size() - from_end] ^= 0x10;
    error_of(write("flipped.gz", flipped));
  }
}

// Every length there is: whatever is cut off, it is an error and never a crash.
BOOST_AUTO_TEST_CASE(no_prefix_of_a_file_passes) {
  const Bytes plain = idx_bytes({5, 3, 2}, 30);
  for (const Bytes& bytes : {plain, gzip(plain)})
    for (std::size_t size = 0; size < bytes.size(); ++size)
      error_of(
          write("prefix", Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))));
}

BOOST_AUTO_TEST_CASE(a_header_that_promises_more_or_less_than_there_is_is_refused) {
  BOOST_TEST(contains(error_of(write("short", idx_bytes({10'000, 28, 28}, 5'000 * 28 * 28))),
                      "promises 7840016 bytes, found 3920016"));
  BOOST_TEST(contains(error_of(write("long", idx_bytes({5, 3, 2}, 31))),
                      "promises 46 bytes, found at least 47"));
  BOOST_TEST(
      contains(error_of(write("tiny", Bytes(15))), "expected a header of 16 bytes, found 15"));
}

BOOST_AUTO_TEST_CASE(a_hostile_header_allocates_nothing_that_is_not_there) {
  const std::uint32_t most = 0xffffffff;
  BOOST_TEST(contains(error_of(write("overflow", idx_bytes({most, most, most}, 10))),
                      "more values than can be"));
  BOOST_TEST(
      contains(error_of(write("huge", gzip(idx_bytes({most, 1'000'000, 1}, 10)))), "found 26"));
  BOOST_TEST(contains(error_of(write("empty", idx_bytes({0, 28, 28}, 0))), "dimension 1 is 0"));
}

BOOST_AUTO_TEST_CASE(a_file_of_another_kind_is_named_by_its_magic_number) {
  BOOST_TEST(contains(error_of(write("labels", idx_bytes({100}, 100))),
                      "expected magic number 0x00000803 (unsigned bytes, 3 dimensions), found "
                      "0x00000801"));
}

BOOST_AUTO_TEST_CASE(what_is_no_file_is_said_to_be_none) {
  BOOST_TEST(contains(error_of(path() / "absent", Errc::not_found), "no such file"));
  BOOST_TEST(contains(error_of(path(), Errc::io_error), "not a regular file"));
}

BOOST_AUTO_TEST_SUITE_END()

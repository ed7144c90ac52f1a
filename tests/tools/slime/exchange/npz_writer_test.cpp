#include "tools/slime/exchange/npz_writer.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"
#include "tools/slime/exchange/npy_header.hpp"

using namespace slime;
using namespace slime::tests;

BOOST_FIXTURE_TEST_SUITE(npz_writer_test, TempDir)

BOOST_AUTO_TEST_CASE(a_file_is_a_zip_archive_of_stored_arrays) {
  BOOST_REQUIRE(bool(write_file(path() / "file.npz", {{"a", {2}, {1, -2}}})));
  const std::string bytes = read("file.npz");
  BOOST_TEST(bytes.starts_with("PK\x03\x04"));
  const std::vector<std::uint64_t> shape{2};
  const std::string array = tools::npy_header(shape) + bytes_of(1.0F) + bytes_of(-2.0F);
  BOOST_TEST(bytes.find("a.npy") + 5 == bytes.find(array));
  BOOST_TEST(bytes.ends_with(R"({"job":"sample"})"));
}

BOOST_AUTO_TEST_CASE(equal_contents_give_equal_bytes) {
  BOOST_REQUIRE(bool(write_file(path() / "one.npz", sample_tensors())));
  BOOST_REQUIRE(bool(write_file(path() / "two.npz", sample_tensors())));
  BOOST_TEST(read("one.npz") == read("two.npz"));
}

BOOST_AUTO_TEST_CASE(metadata_that_does_not_fit_is_refused) {
  const auto status = write_file(path() / "file.npz", {}, {{"job", std::string(70'000, 'x')}});
  BOOST_REQUIRE(!status);
  BOOST_TEST(status.error().context.find(".safetensors") != std::string::npos);
  BOOST_TEST(!std::filesystem::exists(path() / "file.npz"));
}

// Goal: what the archive could not write is told with the system's reason.
// Method: the draft is replaced by a device that is always full.
BOOST_AUTO_TEST_CASE(a_full_disk_is_told) {
  auto file = tools::NewFile::begin(path() / "file.npz", false);
  std::filesystem::remove(file->draft());
  std::filesystem::create_symlink("/dev/full", file->draft());
  const std::vector<trainer::TensorInfo> tensors{{"a", {1U << 20}, 0, 1U << 20}};
  auto writer = tools::write_npz(*file, tensors, {});
  BOOST_REQUIRE(bool(writer));
  Status wrote = (*writer)->begin();
  if (wrote) wrote = (*writer)->write(std::vector<float>(1U << 20));
  if (wrote) wrote = (*writer)->finish();
  BOOST_REQUIRE(!wrote);
  BOOST_TEST((wrote.error().code == Errc::io_error));
  BOOST_TEST(wrote.error().context.find("No space left") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

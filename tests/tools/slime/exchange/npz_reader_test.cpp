#include "tools/slime/exchange/npz_reader.hpp"

#include <minizip/zip.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"
#include "tools/slime/exchange/npy_header.hpp"

using namespace slime;
using namespace slime::tools;
using slime::tests::bytes_of;

namespace npz_reader_test {

struct Folder : slime::tests::TempDir {
  const std::filesystem::path file = path() / "file.npz";

  /// An archive of these entries, as any program may write it.
  void archive(const std::vector<std::pair<std::string, std::string>>& entries,
               int method = 0) const {
    const zipFile zip = zipOpen64(file.c_str(), APPEND_STATUS_CREATE);
    const zip_fileinfo info{};
    for (const auto& [name, bytes] : entries) {
      zipOpenNewFileInZip64(zip, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, method, 9,
                            0);
      zipWriteInFileInZip(zip, bytes.data(), static_cast<unsigned>(bytes.size()));
      zipCloseFileInZip(zip);
    }
    zipClose(zip, nullptr);
  }

  std::string refusal() const {
    const auto read = read_npz(file);
    return read ? std::string("read") : read.error().context;
  }
};

std::string array(const std::string& type, const std::string& data, bool fortran = false,
                  const std::string& shape = "(2, 1)") {
  const std::string dictionary = "{'descr': '" + type +
                                 "', 'fortran_order': " + (fortran ? "True" : "False") +
                                 ", 'shape': " + shape + "}\n";
  return std::string("\x93NUMPY\x01\x00", 8) +
         bytes_of(static_cast<std::uint16_t>(dictionary.size())) + dictionary + data;
}

const std::string two_floats = bytes_of(1.0F) + bytes_of(-2.0F);

}  // namespace npz_reader_test

BOOST_FIXTURE_TEST_SUITE(npz_reader_test, Folder)

BOOST_AUTO_TEST_CASE(stored_and_deflated_arrays_are_read) {
  for (const int method : {0, Z_DEFLATED}) {
    archive({{"f.npy", array("<f4", two_floats)},
             {"d.npy", array("<f8", bytes_of(0.1) + bytes_of(3.0))},
             {"h.npy", array("<f2", bytes_of(std::uint16_t{0x3c00}) + bytes_of(std::uint16_t{0}))}},
            method);
    const auto read = read_npz(file);
    BOOST_REQUIRE(bool(read));
    BOOST_REQUIRE((*read)->tensors().size() == 3u);
    BOOST_TEST((*read)->tensors()[0].name == "f");
    BOOST_TEST(*slime::tests::numbers_of(**read, 0, 2) == (std::vector<float>{1, -2}));
    BOOST_TEST(*slime::tests::numbers_of(**read, 1, 2) == (std::vector<float>{0.1F, 3}));
    BOOST_TEST(*slime::tests::numbers_of(**read, 2, 2) == (std::vector<float>{1, 0}));
  }
}

BOOST_AUTO_TEST_CASE(arrays_that_cannot_be_taken_are_listed_with_the_reason) {
  archive({{"i.npy", array("<i8", two_floats)},
           {"b.npy", array(">f4", two_floats)},
           {"c.npy", array("<f4", two_floats, true)},
           {"flat.npy", array("<f4", two_floats, true, "(2,)")}});
  const auto read = read_npz(file);
  BOOST_REQUIRE(bool(read));
  BOOST_TEST((*read)->tensors()[0].objection.find("\"<i8\"") != std::string::npos);
  BOOST_TEST((*read)->tensors()[1].objection.find("\">f4\"") != std::string::npos);
  BOOST_TEST((*read)->tensors()[2].objection.find("ascontiguousarray") != std::string::npos);
  BOOST_TEST((*read)->tensors()[3].objection == "");
}

BOOST_AUTO_TEST_CASE(damage_is_told_by_the_checksum) {
  archive({{"a.npy", array("<f4", two_floats)}});
  std::string bytes = TempDir::read("file.npz");
  bytes[bytes.find(two_floats) + 1] ^= 1;
  write("file.npz", bytes);
  const auto read = read_npz(file);
  BOOST_REQUIRE(bool(read));
  const auto numbers = slime::tests::numbers_of(**read, 0, 2);
  BOOST_REQUIRE(!numbers);
  BOOST_TEST(numbers.error().context.find("checksum") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(archives_that_are_no_arrays_are_refused) {
  write("file.npz", "");
  BOOST_TEST(refusal().find("no .npz file") != std::string::npos);
  archive({{"a.npy", array("<f4", two_floats)}, {"a.npy", array("<f4", two_floats)}});
  BOOST_TEST(refusal().find("twice") != std::string::npos);
  archive({{"readme.txt", "text"}});
  BOOST_TEST(refusal().find("\"readme.txt\"") != std::string::npos);
  archive({{"a.npy", "short"}});
  BOOST_TEST(refusal().find("cannot be unpacked") != std::string::npos);
  archive({{std::string(300, 'x') + ".npy", array("<f4", two_floats)}});
  BOOST_TEST(refusal().find("its name") != std::string::npos);
  archive({{"a.npy", array("<f4", two_floats + "more")}});
  BOOST_TEST(refusal().find("are announced") != std::string::npos);
  archive({});
  BOOST_TEST(refusal().find("no .npz file") != std::string::npos);
}

// Goal: what unpacks to far more than its array needs costs no memory and is refused.
BOOST_AUTO_TEST_CASE(a_bomb_is_refused_by_its_size) {
  archive({{"a.npy", array("<f4", std::string(64U << 20, '\0'))}}, Z_DEFLATED);
  BOOST_TEST(std::filesystem::file_size(file) < 100'000u);
  BOOST_TEST(refusal().find("are announced") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

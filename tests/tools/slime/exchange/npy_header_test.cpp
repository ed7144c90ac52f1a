#include "tools/slime/exchange/npy_header.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/exchange/written_file.hpp"

using namespace slime;
using namespace slime::tools;
using slime::tests::bytes_of;

namespace npy_header_test {

/// A header of version 1.0, as other programs write it.
std::string header(const std::string& dictionary) {
  return std::string("\x93NUMPY\x01\x00", 8) +
         bytes_of(static_cast<std::uint16_t>(dictionary.size())) + dictionary;
}

const std::string ordinary = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n";

}  // namespace npy_header_test

BOOST_AUTO_TEST_SUITE(npy_header_test)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_and_aligned) {
  const std::vector<std::vector<std::uint64_t>> shapes{
      {}, {7}, {64, 256}, std::vector<std::uint64_t>(32, 1)};
  for (const auto& shape : shapes) {
    const std::string written = npy_header(shape);
    BOOST_TEST(written.size() % 64 == 0u);
    BOOST_TEST(*npy_header_bytes(std::as_bytes(std::span(written))) == written.size());
    const auto read = read_npy_header(written);
    BOOST_REQUIRE(bool(read));
    BOOST_TEST(read->type == "<f4");
    BOOST_TEST(!read->fortran_order);
    BOOST_TEST(read->shape == shape);
  }
}

BOOST_AUTO_TEST_CASE(the_notations_of_other_programs_are_read) {
  const auto plain = read_npy_header(header(ordinary));
  BOOST_REQUIRE(bool(plain));
  BOOST_TEST(plain->shape == (std::vector<std::uint64_t>{3, 4}));
  const auto turned =
      read_npy_header(header("{\"shape\":(),\"fortran_order\":True,\"descr\":\">f8\"}   \n"));
  BOOST_REQUIRE(bool(turned));
  BOOST_TEST(turned->fortran_order);
  BOOST_TEST(turned->type == ">f8");
  BOOST_TEST(turned->shape.empty());
  const auto record = read_npy_header(header(
      "{'descr': [('a', '<f4'), ('b', '<i8', (2,))], 'fortran_order': False, 'shape': (1,)}"));
  BOOST_REQUIRE(bool(record));
  BOOST_TEST(record->type.starts_with("[('a'"));
  std::string second = header(ordinary);
  second[6] = '\x02';
  second.insert(10, 2, '\0');
  BOOST_TEST(bool(read_npy_header(second)));
}

BOOST_AUTO_TEST_CASE(anything_else_is_refused) {
  for (const std::string& dictionary :
       {std::string("{}"), std::string("{'descr': '<f4'}"), ordinary + "x", "[" + ordinary,
        std::string("{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': 3}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (3"),
        std::string("{'descr': [[[, 'fortran_order': False, 'shape': (3,)}"),
        std::string("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}"),
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::string(33 * 2, '1') + ",)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::string(200, ',') + ")}"})
    BOOST_TEST((read_npy_header(header(dictionary)).error().code == Errc::corruption), dictionary);
  BOOST_TEST(!read_npy_header("short"));
  BOOST_TEST(!read_npy_header(header(ordinary) + "!"));
}

BOOST_AUTO_TEST_CASE(lengths_are_bounded_and_versions_known) {
  const auto bytes = [](const std::string& start) {
    return npy_header_bytes(std::as_bytes(std::span(start)));
  };
  BOOST_TEST(*bytes(std::string("\x93NUMPY\x01\x00\x76\x00..", 12)) == 128u);
  BOOST_TEST(*bytes(std::string("\x93NUMPY\x03\x00\x76\x00\x00\x00", 12)) == 130u);
  BOOST_TEST(!bytes(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)));
  BOOST_TEST(!bytes(std::string("\x93NUMPY\x04\x00\x76\x00\x00\x00", 12)));
  BOOST_TEST(!bytes(std::string("\x93NUMPX\x01\x00\x76\x00\x00\x00", 12)));
}

BOOST_AUTO_TEST_SUITE_END()

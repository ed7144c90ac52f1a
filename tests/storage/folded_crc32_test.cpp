#include "storage/folded_crc32.hpp"

#include <zlib.h>

#include <boost/test/unit_test.hpp>
#include <vector>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::storage;

BOOST_AUTO_TEST_SUITE(folded_crc32_test)

// Goal: it is zlib's, wherever the bytes begin and end. Method: every length around what is folded
// at a time, and a block's, at 16 places.
BOOST_AUTO_TEST_CASE(it_is_what_zlib_computes) {
  Random random(1);
  std::vector<std::byte> bytes(70'000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  std::vector<std::size_t> lengths{65'535, 65'536, 65'537, 65'599};
  for (std::size_t length = 0; length < 200; ++length) lengths.push_back(length);
  for (std::size_t from = 0; from < 16; ++from)
    for (const std::size_t length : lengths) {
      const auto before = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32));
      const auto some = std::span(bytes).subspan(from, length);
      const auto expected =
          ::crc32_z(before, reinterpret_cast<const Bytef*>(some.data()), some.size());
      BOOST_REQUIRE_EQUAL(folded_crc32(some, before), expected);
    }
}

BOOST_AUTO_TEST_SUITE_END()

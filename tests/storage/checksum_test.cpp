#include "storage/checksum.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string_view>

using namespace slime;
using namespace slime::storage;

BOOST_AUTO_TEST_SUITE(checksum_test)

BOOST_AUTO_TEST_CASE(it_is_the_crc_32_that_others_compute) {
  // The check value of CRC-32/ISO-HDLC.
  BOOST_TEST(checksum(std::as_bytes(std::span(std::string_view("123456789")))) == 0xcbf43926u);
}

BOOST_AUTO_TEST_CASE(it_goes_on_where_it_ended) {
  const auto all = std::as_bytes(std::span(std::string_view("123456789")));
  BOOST_TEST(checksum(all.subspan(4), checksum(all.first(4))) == checksum(all));
  BOOST_TEST(checksum(all.subspan(9), checksum(all)) == checksum(all));
}

BOOST_AUTO_TEST_CASE(sealed_words_come_back) {
  const std::uint64_t numbers[] = {1, 2, 3};
  const std::string sealed = seal(runtime::Words::copy(std::as_bytes(std::span(numbers))));
  const auto words = unseal(std::as_bytes(std::span(sealed)));
  BOOST_REQUIRE(bool(words));
  BOOST_TEST(words->count() == 3u);
  BOOST_TEST(std::memcmp(words->data(), numbers, sizeof numbers) == 0);
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_and_every_cut_is_found) {
  const std::uint64_t numbers[] = {1, 2, 3};
  const std::string sealed = seal(runtime::Words::copy(std::as_bytes(std::span(numbers))));
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    std::string damaged = sealed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto words = unseal(std::as_bytes(std::span(damaged)));
    BOOST_TEST((!words && words.error().code == Errc::corruption));
  }
  for (std::size_t length = 0; length < sealed.size(); ++length)
    BOOST_TEST(!unseal(std::as_bytes(std::span(sealed)).first(length)));
}

BOOST_AUTO_TEST_SUITE_END()

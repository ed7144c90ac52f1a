#include "runtime/wire/words.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>

using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(words_test)

BOOST_AUTO_TEST_CASE(a_copy_pads_with_zeros) {
  const char text[] = {'a', 'b', 'c'};
  const Words words = Words::copy(std::as_bytes(std::span(text)));
  BOOST_TEST(words.count() == 1u);
  BOOST_TEST(words.data()[0] == 0x636261u);
}

BOOST_AUTO_TEST_CASE(large_blocks_are_reused_when_the_last_reference_goes) {
  constexpr std::size_t count = 100'000;
  const std::uint64_t* first = nullptr;
  {
    Words words = Words::adopt(acquire_block(count), 0, count);
    first = words.data();
    const Words other = words;
    words = Words();
    BOOST_TEST(other.data() == first);
  }
  BOOST_TEST(pooled_bytes() > 0u);
  const Words again = Words::adopt(acquire_block(count), 0, count);
  BOOST_TEST(again.data() == first);
}

BOOST_AUTO_TEST_CASE(a_power_of_two_of_payload_is_not_rounded_up_to_twice_its_size) {
  for (std::size_t bytes = 65536; bytes <= 64u << 20; bytes *= 2) {
    Block* block = acquire_block(bytes / 8);
    BOOST_TEST(block->capacity_words * 8 >= bytes);
    BOOST_TEST(block->capacity_words * 8 <= bytes + 4096);
    release_block(block);
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "actors/training/record_ring.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime;
using namespace slime::actors;

namespace record_ring_test {

struct Told {
  std::vector<double> times;
  std::uint64_t next = 0;
  std::uint64_t lost = 0;
  bool more = false;
};

void add(RecordRing& ring, int first, int last) {
  for (int i = first; i <= last; ++i)
    ring.add(i, [i](schema::RecordEntry::Builder entry) {
      entry.initGone().setWorker(static_cast<std::uint32_t>(i));
      entry.getGone().setReason("why " + std::to_string(i));
    });
}

Told tell(const RecordRing& ring, std::uint64_t from, std::size_t entries_max = 100,
          std::size_t bytes_max = 1'000'000) {
  Told told;
  ring.tell(from, entries_max, bytes_max).read([&told](schema::Record::Reader read) {
    for (const auto entry : read.getEntries()) {
      told.times.push_back(entry.getRunSeconds());
      BOOST_TEST(entry.getGone().getReason().cStr() ==
                 "why " + std::to_string(entry.getGone().getWorker()));
    }
    told.next = read.getNext();
    told.lost = read.getLost();
    told.more = read.getMore();
  });
  return told;
}

}  // namespace record_ring_test

BOOST_AUTO_TEST_SUITE(record_ring_test)

BOOST_AUTO_TEST_CASE(entries_are_told_from_where_the_asker_left_off) {
  RecordRing ring(100'000);
  BOOST_TEST(tell(ring, 0).next == 0u);
  add(ring, 0, 4);
  const Told first = tell(ring, 0, 3);
  BOOST_TEST((first.times == std::vector<double>{0, 1, 2}));
  BOOST_TEST(first.more);
  const Told second = tell(ring, first.next, 3);
  BOOST_TEST((second.times == std::vector<double>{3, 4}));
  BOOST_TEST(!second.more);
  BOOST_TEST(second.lost == 0u);
  BOOST_TEST(tell(ring, second.next).times.empty());
  // As often as they are asked for.
  BOOST_TEST(tell(ring, 0, 3).times.size() == 3u);
}

// Goal: an answer takes neither long to send nor memory that it does not need, however long the
// entries are; and one that is longer than the bound stands in nobody's way.
BOOST_AUTO_TEST_CASE(an_answer_is_bounded_in_bytes) {
  RecordRing ring(10'000'000);
  for (unsigned i = 0; i < 100; ++i)
    ring.add(i, [i](schema::RecordEntry::Builder entry) {
      entry.initShares().initWorkers(i == 50 ? 5000 : 100);
    });
  constexpr std::size_t bytes_max = 20'000;
  std::uint64_t next = 0;
  unsigned told = 0, large = 0;
  for (bool more = true; more;) {
    const auto answer = ring.tell(next, 1000, bytes_max);
    answer.read([&](schema::Record::Reader read) {
      BOOST_TEST(read.getEntries().size() >= 1u);
      for (const auto entry : read.getEntries()) BOOST_TEST(entry.getRunSeconds() == told++);
      if (answer.words().bytes() > bytes_max) {
        ++large;
        BOOST_TEST(read.getEntries().size() == 1u);
      }
      next = read.getNext();
      more = read.getMore();
    });
  }
  BOOST_TEST(told == 100u);
  BOOST_TEST(large == 1u);
  BOOST_TEST(ring.tell(100, 1000, bytes_max).words().bytes() < 200u);
}

BOOST_AUTO_TEST_CASE(the_oldest_are_forgotten_and_counted) {
  RecordRing ring(2000);
  add(ring, 0, 99);
  const Told told = tell(ring, 0);
  BOOST_REQUIRE(!told.times.empty());
  BOOST_TEST(told.times.back() == 99);
  BOOST_TEST(told.times.size() < 30u);
  BOOST_TEST(told.lost + told.times.size() == 100u);
  BOOST_TEST(told.times.front() == static_cast<double>(told.lost));
  // Who had read some of those lost fewer.
  BOOST_TEST(tell(ring, 50).lost == told.lost - 50);
  BOOST_TEST(tell(ring, 100).lost == 0u);
}

BOOST_AUTO_TEST_CASE(who_asks_for_what_is_not_there_yet_gets_nothing) {
  RecordRing ring(2000);
  add(ring, 0, 1);
  const Told told = tell(ring, 1000);
  BOOST_TEST(told.times.empty());
  BOOST_TEST(told.next == 2u);
}

BOOST_AUTO_TEST_CASE(an_entry_that_is_larger_than_the_ring_is_lost) {
  RecordRing ring(10);
  add(ring, 0, 0);
  BOOST_TEST(tell(ring, 0).lost == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

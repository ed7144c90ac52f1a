#include "runtime/link/outbox.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/link/inbox.hpp"

using namespace slime;
using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(outbox_test)

constexpr std::size_t queue_bound = std::size_t{64} << 20;
constexpr std::size_t large_words = 3 * chunk_words_max;

struct Owner : OutboxOwner {
  std::atomic<int> ready = 0;
  std::vector<std::uint64_t> discarded;

  void on_ready() override { ++ready; }
  void on_discarded(std::unique_ptr<Outgoing> item) override {
    discarded.push_back(item->head.target);
  }
};

struct Received : FrameSink {
  std::vector<std::uint64_t> targets;
  Status on_message(const MessageHead& head, Words) override {
    targets.push_back(head.target);
    return ok();
  }
  Status on_control(std::span<const std::uint64_t>) override { return ok(); }
};

struct Fixture {
  Owner owner;
  Outbox outbox{owner, queue_bound};
  Received received;
  Inbox inbox{queue_bound};

  Status add(std::uint64_t target, std::size_t words, std::uint64_t sender = 0,
             bool system = false) {
    auto item = std::make_unique<Outgoing>();
    item->head.target = target;
    item->head.sender.number = sender;
    item->system = system;
    item->generation = outbox.generation();
    if (words > 0) item->body = Words::adopt(acquire_block(words), 0, words);
    Status added = outbox.add(item);
    outbox.pump();
    return added;
  }

  // Writes one batch into the inbox of the other side. @returns its size.
  std::size_t write_batch() {
    std::size_t total = 0;
    const auto pieces = outbox.begin_write();
    for (const iovec& piece : pieces) {
      total += piece.iov_len;
      const auto* from = static_cast<const std::byte*>(piece.iov_base);
      for (std::size_t at = 0; at < piece.iov_len;) {
        const auto space = inbox.space();
        const std::size_t count = std::min(space.size(), piece.iov_len - at);
        std::memcpy(space.data(), from + at, count);
        at += count;
        BOOST_REQUIRE(bool(inbox.received(count, received)));
      }
    }
    if (!pieces.empty()) outbox.end_write();
    return total;
  }
  void write_all() {
    while (write_batch() > 0) {
    }
  }
};

using Targets = std::vector<std::uint64_t>;

BOOST_FIXTURE_TEST_CASE(what_waits_and_what_was_sent_is_counted, Fixture) {
  BOOST_REQUIRE(bool(add(1, large_words)));
  BOOST_REQUIRE(bool(add(2, 1)));
  BOOST_REQUIRE(bool(add(3, 1, 0, true)));
  BOOST_TEST(outbox.queued() == 3u);
  BOOST_TEST(outbox.frames_out() == 0u);
  outbox.attach(-1, queue_bound);
  std::size_t bytes = 0;
  while (const std::size_t written = write_batch()) bytes += written;
  BOOST_TEST(received.targets.size() == 3u);
  BOOST_TEST(outbox.queued() == 0u);
  BOOST_TEST(outbox.queued_bytes() == 0u);
  BOOST_TEST(outbox.bytes_out() == bytes);
  // The long one is an opening frame and three chunks.
  BOOST_TEST(outbox.frames_out() == 6u);
  BOOST_TEST(inbox.take_frame_count() == 6u);
  BOOST_TEST(inbox.take_frame_count() == 0u);
}

BOOST_FIXTURE_TEST_CASE(small_messages_and_system_frames_overtake_a_long_one, Fixture) {
  outbox.attach(-1, queue_bound);
  BOOST_REQUIRE(bool(add(1, large_words)));
  BOOST_TEST(write_batch() > 0u);
  BOOST_REQUIRE(bool(add(2, 10)));
  BOOST_REQUIRE(bool(add(3, 10, 0, true)));
  write_all();
  BOOST_TEST(received.targets == (Targets{3, 2, 1}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(no_batch_holds_more_than_a_chunk_of_a_long_message, Fixture) {
  outbox.attach(-1, queue_bound);
  BOOST_REQUIRE(bool(add(1, large_words)));
  for (int i = 0; i < 3; ++i) {
    const std::size_t bytes = write_batch();
    BOOST_TEST(bytes >= chunk_words_max * 8u);
    BOOST_TEST(bytes < chunk_words_max * 8u + 1024);
  }
  BOOST_TEST(write_batch() == 0u);
}

BOOST_FIXTURE_TEST_CASE(two_messages_between_the_same_actors_keep_their_order, Fixture) {
  outbox.attach(-1, queue_bound);
  BOOST_REQUIRE(bool(add(1, large_words, 5)));
  BOOST_REQUIRE(bool(add(1, 10, 5)));
  BOOST_REQUIRE(bool(add(1, large_words, 5)));
  BOOST_REQUIRE(bool(add(2, 10, 5)));
  write_all();
  BOOST_TEST(received.targets == (Targets{2, 1, 1, 1}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(without_credit_only_system_frames_go, Fixture) {
  const std::size_t cost = message_cost(100);
  outbox.attach(-1, 2 * cost);
  for (std::uint64_t i = 1; i <= 4; ++i) BOOST_REQUIRE(bool(add(i, 100)));
  BOOST_REQUIRE(bool(add(9, 10, 0, true)));
  write_all();
  BOOST_TEST(received.targets == (Targets{9, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(outbox.in_flight_bytes() == 2 * cost);
  outbox.add_credit(cost);
  write_all();
  BOOST_TEST(received.targets.size() == 4u);
}

BOOST_FIXTURE_TEST_CASE(above_the_bound_it_is_overloaded_but_system_frames_pass, Fixture) {
  std::size_t accepted = 0;
  Status status = ok();
  while ((status = add(1, chunk_words_max))) ++accepted;
  BOOST_TEST((status.error().code == Errc::overloaded));
  BOOST_TEST(accepted == queue_bound / (chunk_words_max * 8));
  BOOST_TEST(bool(add(2, 10, 0, true)));
}

BOOST_FIXTURE_TEST_CASE(bulk_takes_no_room_from_system_frames, Fixture) {
  BOOST_REQUIRE(bool(add(1, queue_bound / 8 - 100)));
  BOOST_REQUIRE(bool(add(1, queue_bound / 8)));
  BOOST_TEST(!add(1, 10));
  BOOST_TEST(bool(add(2, 10, 0, true)));
}

BOOST_FIXTURE_TEST_CASE(a_lost_connection_discards_what_was_added_for_it_and_nothing_else,
                        Fixture) {
  auto late = std::make_unique<Outgoing>();
  late->head.target = 7;
  late->generation = outbox.generation();
  outbox.attach(-1, queue_bound);
  BOOST_REQUIRE(bool(add(1, large_words)));
  BOOST_REQUIRE(bool(add(2, 10)));
  outbox.detach();
  BOOST_TEST(owner.discarded == (Targets{2, 1}), boost::test_tools::per_element());
  BOOST_REQUIRE(bool(outbox.add(late)));
  outbox.pump();
  BOOST_TEST(owner.discarded == (Targets{2, 1, 7}), boost::test_tools::per_element());
  BOOST_REQUIRE(bool(add(3, 10)));
  outbox.attach(-1, queue_bound);
  write_all();
  BOOST_TEST(received.targets == (Targets{3}), boost::test_tools::per_element());
  BOOST_TEST(outbox.queued_bytes() == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_closed_outbox_discards_everything, Fixture) {
  outbox.close();
  BOOST_REQUIRE(bool(add(1, 10)));
  BOOST_TEST(owner.discarded == (Targets{1}), boost::test_tools::per_element());
}

// Many threads add while one writes: nothing is lost, doubled, or reordered within a thread.
BOOST_FIXTURE_TEST_CASE(every_message_of_every_thread_arrives_once_and_in_order, Fixture) {
  constexpr std::uint64_t threads = 4;
  constexpr std::uint64_t each = 20'000;
  outbox.attach(-1, queue_bound);
  std::vector<std::thread> adders;
  for (std::uint64_t t = 0; t < threads; ++t)
    adders.emplace_back([this, t] {
      for (std::uint64_t i = 0; i < each; ++i) (void)add(t * each + i, 2);
    });
  while (received.targets.size() < threads * each) write_all();
  for (auto& adder : adders) adder.join();
  std::vector<std::uint64_t> next(threads, 0);
  for (const std::uint64_t target : received.targets)
    BOOST_REQUIRE(target % each == next[target / each]++);
}

BOOST_AUTO_TEST_SUITE_END()

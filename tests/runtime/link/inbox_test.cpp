#include "runtime/link/inbox.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/base/random.hpp"
#include "tests/runtime/link/fuzz_frame.hpp"

using namespace slime;
using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(inbox_test)

using Bytes = std::vector<std::byte>;

void put(Bytes& to, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  to.insert(to.end(), from, from + bytes);
}

void put_prefix(Bytes& to, std::size_t words, FrameKind kind) {
  const FramePrefix prefix{static_cast<std::uint32_t>(words), kind, {}};
  put(to, &prefix, sizeof prefix);
}

std::vector<std::uint64_t> counting(std::size_t words) {
  std::vector<std::uint64_t> values(words);
  for (std::size_t i = 0; i < words; ++i) values[i] = i * 0x9e3779b97f4a7c15ULL;
  return values;
}

void put_message(Bytes& to, std::uint64_t target, const std::vector<std::uint64_t>& body) {
  put_prefix(to, head_words + body.size(), FrameKind::message);
  MessageHead head;
  head.target = target;
  put(to, &head, sizeof head);
  put(to, body.data(), body.size() * 8);
}

void put_open(Bytes& to, std::uint64_t target, std::uint64_t words) {
  put_prefix(to, head_words + 1, FrameKind::open);
  MessageHead head;
  head.target = target;
  put(to, &head, sizeof head);
  put(to, &words, 8);
}

void put_chunk(Bytes& to, const std::uint64_t* words, std::size_t count) {
  put_prefix(to, count, FrameKind::chunk);
  put(to, words, count * 8);
}

struct Received : FrameSink {
  std::vector<std::uint64_t> targets;
  std::vector<std::vector<std::uint64_t>> bodies;
  std::size_t controls = 0;

  Status on_message(const MessageHead& head, Words words) override {
    targets.push_back(head.target);
    bodies.emplace_back(words.data(), words.data() + words.count());
    return ok();
  }
  Status on_control(std::span<const std::uint64_t>) override {
    ++controls;
    return ok();
  }
};

// Feeds `bytes` in pieces of at most `piece`; the inbox's own buffer is the only other bound.
Status feed(Inbox& inbox, FrameSink& sink, const Bytes& bytes, std::size_t piece) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto space = inbox.space();
    BOOST_REQUIRE(!space.empty());
    const std::size_t count = std::min({piece, space.size(), bytes.size() - at});
    std::memcpy(space.data(), bytes.data() + at, count);
    at += count;
    if (Status taken = inbox.received(count, sink); !taken) return taken;
  }
  return ok();
}

constexpr std::size_t limit = std::size_t{16} << 20;

BOOST_AUTO_TEST_CASE(messages_come_whole_however_the_bytes_are_cut) {
  Bytes bytes;
  const auto small = counting(5);
  const auto medium = counting(5000);
  const auto large = counting(chunk_words_max + 1000);
  put_message(bytes, 1, small);
  put_message(bytes, 2, {});
  put_open(bytes, 3, large.size());
  put_message(bytes, 4, medium);
  put_chunk(bytes, large.data(), chunk_words_max);
  put_message(bytes, 5, small);
  put_chunk(bytes, large.data() + chunk_words_max, 1000);
  put_prefix(bytes, 1, FrameKind::control);
  put(bytes, small.data(), 8);
  put_message(bytes, 6, medium);
  for (const std::size_t piece : {1u, 7u, 8u, 63u, 1000u, 65'536u, 100'000'000u}) {
    Inbox inbox(limit);
    Received received;
    BOOST_REQUIRE(bool(feed(inbox, received, bytes, piece)));
    const std::vector<std::uint64_t> order{1, 2, 4, 5, 3, 6};
    BOOST_TEST(received.targets == order);
    BOOST_TEST((received.bodies[0] == small));
    BOOST_TEST(received.bodies[1].empty());
    BOOST_TEST((received.bodies[2] == medium));
    BOOST_TEST((received.bodies[4] == large));
    BOOST_TEST((received.bodies[5] == medium));
    BOOST_TEST(received.controls == 1u);
  }
}

BOOST_AUTO_TEST_CASE(no_prefix_of_a_frame_is_an_error_or_a_message) {
  Bytes bytes;
  put_message(bytes, 1, counting(20));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Inbox inbox(limit);
    Received received;
    const Bytes prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    BOOST_TEST(bool(feed(inbox, received, prefix, 1u << 20)));
    BOOST_TEST(received.targets.empty());
  }
}

BOOST_AUTO_TEST_CASE(sizes_are_refused_before_memory_is_taken) {
  const std::size_t before = pooled_bytes();
  const auto refused = [](const Bytes& bytes) {
    Inbox inbox(limit);
    Received received;
    const Status taken = feed(inbox, received, bytes, 1u << 20);
    return !taken && taken.error().code == Errc::corruption && received.targets.empty();
  };
  for (const FrameKind kind : {FrameKind::message, FrameKind::open, FrameKind::chunk,
                               FrameKind::control, FrameKind{0}, FrameKind{77}}) {
    for (const std::size_t words : {std::size_t{0}, std::size_t{0xffffffff}}) {
      Bytes bytes;
      put_prefix(bytes, words, kind);
      BOOST_TEST(refused(bytes));
    }
  }
  for (const std::uint64_t words :
       {std::uint64_t{0}, limit / 8 + 1, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    Bytes bytes;
    put_open(bytes, 1, words);
    BOOST_TEST(refused(bytes));
  }
  BOOST_TEST(pooled_bytes() == before);
}

BOOST_AUTO_TEST_CASE(chunks_out_of_place_are_refused) {
  const auto words = counting(100);
  Received received;
  Bytes orphan;
  put_chunk(orphan, words.data(), 10);
  Bytes too_many;
  put_open(too_many, 1, 15);
  put_chunk(too_many, words.data(), 10);
  put_chunk(too_many, words.data(), 10);
  Bytes second;
  put_open(second, 1, 15);
  put_open(second, 2, 15);
  for (const Bytes& bytes : {orphan, too_many, second}) {
    Inbox inbox(limit);
    const Status taken = feed(inbox, received, bytes, 1u << 20);
    BOOST_REQUIRE(!taken);
    BOOST_TEST((taken.error().code == Errc::corruption));
  }
  BOOST_TEST(received.targets.empty());
}

// Under the sanitizers this finds what reads or writes out of bounds.
BOOST_AUTO_TEST_CASE(flipped_bits_and_noise_do_no_harm) {
  Random random(20'260'101);
  Bytes bytes;
  put_message(bytes, 1, counting(40));
  put_open(bytes, 2, 3000);
  put_chunk(bytes, counting(3000).data(), 1500);
  put_message(bytes, 3, counting(2000));
  put_chunk(bytes, counting(3000).data(), 1500);
  for (int round = 0; round < 10'000; ++round) {
    Bytes flipped = bytes;
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
      const std::uint64_t bit = random.below(flipped.size() * 8);
      flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    fuzz_frame(reinterpret_cast<const std::uint8_t*>(flipped.data()), flipped.size());
  }
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> noise(random.below(4000));
    for (auto& byte : noise) byte = static_cast<std::uint8_t>(random.next());
    fuzz_frame(noise.data(), noise.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()

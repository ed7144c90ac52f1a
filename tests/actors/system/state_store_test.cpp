#include "actors/system/state_store.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/actor/call_once.hpp"
#include "runtime/simulation/simulation.hpp"
#include "runtime/wire/address.hpp"
#include "tests/support/noting_host.hpp"

using namespace slime;
using namespace std::chrono_literals;
using runtime::CallId;
using runtime::Message;

namespace state_store_test {

/// Keeps in memory, counts the writes, and fails them when it is told to.
struct Watched final : actors::ActorStateKeeper {
  Status put(std::span<const storage::StateChange> changes) override {
    if (broken) return *broken;
    ++writes;
    return inside.put(changes);
  }
  Result<storage::StoredState> get(std::string_view name) const override {
    return inside.get(name);
  }
  actors::MemoryStates inside;
  std::optional<Error> broken;
  int writes = 0;
};

struct Write {
  std::uint64_t generation;
  std::uint64_t number;
  std::uint64_t value;
  std::vector<CallId> replies = {};
  std::vector<CallId> forgotten = {};
  std::uint32_t version = 1;
};

Message<schema::SaveState> save(const std::string& name, const Write& write) {
  return Message<schema::SaveState>::make([&](schema::SaveState::Builder root) {
    root.setName(name);
    root.setGeneration(write.generation);
    root.setWrite(write.number);
    auto state = root.initState();
    state.setType(11);
    state.setVersion(write.version);
    state.setWords(kj::arrayPtr(reinterpret_cast<const kj::byte*>(&write.value), 8));
    auto replies = root.initReplies(static_cast<unsigned>(write.replies.size()));
    for (unsigned i = 0; i < replies.size(); ++i) {
      runtime::write_call(replies[i].initId(), write.replies[i]);
      replies[i].setType(12);
    }
    auto forgotten = root.initForgotten(static_cast<unsigned>(write.forgotten.size()));
    for (unsigned i = 0; i < forgotten.size(); ++i)
      runtime::write_call(forgotten[i], write.forgotten[i]);
  });
}

struct Fixture {
  Fixture() { start(); }

  void start() { store.address = sim.spawn(node, actors::state_store_type(&kept), {}).value(); }
  /// What a load answers: "1: 0" or "1: 5, replies me/1", or why not.
  std::string load(const std::string& name, std::uint64_t holder, std::uint32_t version = 1) {
    const auto loaded =
        sim.call(store, Message<schema::LoadState>::make([&](schema::LoadState::Builder root) {
                   root.setName(name);
                   runtime::write_address(root.initHolder(), {NodeId{5, 5}, 1, holder});
                   root.setVersion(version);
                 }));
    if (!loaded) return to_string(loaded.error());
    return loaded->read([](schema::LoadedState::Reader root) {
      std::uint64_t value = 0;
      const auto words = root.getState().getWords();
      if (words.size() == 8) std::memcpy(&value, words.begin(), 8);
      std::string all = std::to_string(root.getGeneration()) + ": " + std::to_string(value);
      for (const auto reply : root.getReplies())
        all += std::string(" ") + reply.getId().getCaller().cStr() + "/" +
               std::to_string(reply.getId().getNumber());
      return all;
    });
  }
  std::string write(const std::string& name, const Write& what) {
    const auto saved = sim.call(store, save(name, what));
    return saved ? "ok" : to_string(saved.error());
  }

  Watched kept;
  runtime::Simulation sim{1};
  NodeId node = sim.add_node("head");
  runtime::StateStore store;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace state_store_test

BOOST_FIXTURE_TEST_SUITE(state_store_test, Fixture)

BOOST_AUTO_TEST_CASE(a_state_and_its_replies_come_back) {
  BOOST_TEST(load("a", 1) == "1: 0");
  BOOST_TEST(write("a", {1, 1, 5, {{"me", 1}, {"me", 2}}}) == "ok");
  BOOST_TEST(write("a", {1, 2, 6, {{"me", 3}}, {{"me", 1}}}) == "ok");
  BOOST_TEST(load("b", 2) == "1: 0");
  BOOST_TEST(load("a", 3) == "2: 6 me/2 me/3");
}

BOOST_AUTO_TEST_CASE(whoever_loaded_before_may_not_write_any_more) {
  load("a", 1);
  BOOST_TEST(write("a", {1, 1, 5}) == "ok");
  BOOST_TEST(load("a", 2) == "2: 5");
  const std::string refused = write("a", {1, 2, 6});
  BOOST_TEST(refused.starts_with("stale: "));
  BOOST_TEST(has(refused, "#2 has loaded it since, as generation 2"));
  BOOST_TEST(write("a", {2, 1, 7}) == "ok");
  BOOST_TEST(load("a", 3) == "3: 7");
}

// Goal: an answer that is lost costs nothing.
BOOST_AUTO_TEST_CASE(repeating_a_request_changes_nothing) {
  BOOST_TEST(load("a", 1) == "1: 0");
  BOOST_TEST(load("a", 1) == "1: 0");
  BOOST_TEST(write("a", {1, 1, 5}) == "ok");
  BOOST_TEST(write("a", {1, 2, 6}) == "ok");
  const int writes = kept.writes;
  BOOST_TEST(write("a", {1, 1, 5}) == "ok");
  BOOST_TEST(write("a", {1, 2, 6}) == "ok");
  BOOST_TEST(kept.writes == writes);
  BOOST_TEST(load("a", 2) == "2: 6");
}

BOOST_AUTO_TEST_CASE(its_next_process_knows_what_it_knew) {
  load("a", 1);
  BOOST_TEST(write("a", {1, 1, 5, {{"me", 1}}}) == "ok");
  start();
  BOOST_TEST(write("a", {1, 1, 4}) == "ok");
  BOOST_TEST(write("a", {1, 2, 6}) == "ok");
  BOOST_TEST(load("a", 1) == "1: 6 me/1");
  start();
  BOOST_TEST(load("a", 2) == "2: 6 me/1");
  BOOST_TEST(write("a", {1, 3, 7}).starts_with("stale: "));
}

// Goal: what came while the disk was busy shares the next wait for it. Method: turns by hand, in
// the order in which a mailbox would have them.
BOOST_AUTO_TEST_CASE(writes_that_come_together_are_written_together) {
  for (const std::string name : {"1", "2", "3"}) load(name, 1);
  tests::NotingHost host;
  actors::StateStoreActor actor(host, &kept);
  runtime::Behaviour& behaviour = actor;
  const int writes = kept.writes;
  std::uint64_t request = 0;
  for (const std::string name : {"1", "2", "3", "1"})
    behaviour.received({}, ++request, save(name, {1, 1, 5}).any());
  behaviour.received({}, ++request, save("1", {1, 2, 6}).any());
  BOOST_TEST(host.answers.empty());
  BOOST_REQUIRE(host.timers.size() == 1u);
  behaviour.timer_fired(host.timers[0].first);
  BOOST_TEST(kept.writes == writes + 1);
  BOOST_REQUIRE(host.answers.size() == 5u);
  for (const auto& [to, answer] : host.answers) BOOST_TEST(!runtime::failure_of(answer));
  BOOST_TEST(load("1", 2) == "2: 6");
}

BOOST_AUTO_TEST_CASE(a_later_version_is_never_overwritten_and_its_holder_not_fenced) {
  load("a", 1, 2);
  BOOST_TEST(write("a", {.generation = 1, .number = 1, .value = 5, .version = 2}) == "ok");
  BOOST_TEST(has(load("a", 2, 1), "incompatible: what is kept is of version 2"));
  BOOST_TEST(write("a", {1, 2, 6}).starts_with("incompatible: "));
  BOOST_TEST(write("a", {.generation = 1, .number = 2, .value = 7, .version = 2}) == "ok");
}

BOOST_AUTO_TEST_CASE(what_it_never_lent_is_refused) {
  const std::string refused = write("a", {1, 1, 5});
  BOOST_TEST(refused.starts_with("stale: "));
  BOOST_TEST(has(refused, "--state DIR"));
  load("a", 1);
  BOOST_TEST(write("a", {1, 2, 5}).starts_with("invalid_argument: "));
  BOOST_TEST(load("", 1).starts_with("invalid_argument: "));
  BOOST_TEST(load(std::string(257, 'x'), 1).starts_with("invalid_argument: "));
}

BOOST_AUTO_TEST_CASE(a_write_that_fails_is_told_and_ends_it) {
  load("a", 1);
  kept.broken = Error{Errc::io_error, "the disk is full"};
  BOOST_TEST(has(write("a", {1, 1, 5}), "the disk is full"));
  BOOST_TEST(!sim.alive(store.address));
  kept.broken.reset();
  start();
  BOOST_TEST(load("a", 2) == "2: 0");
}

BOOST_AUTO_TEST_CASE(without_a_keeper_it_keeps_in_memory) {
  store.address = sim.spawn(node, actors::state_store_type(), {}).value();
  load("a", 1);
  BOOST_TEST(write("a", {1, 1, 5, {{"me", 1}}}) == "ok");
  BOOST_TEST(load("a", 2) == "2: 5 me/1");
  BOOST_TEST(kept.writes == 0);
}

// Goal: what one actor sends cannot end the store of all.
BOOST_AUTO_TEST_CASE(malformed_messages_are_refused) {
  load("a", 1);
  const auto sound = save("a", {1, 1, 5, {{"me", 1}}, {{"you", 2}}}).any();
  std::size_t refused = 0;
  for (std::size_t byte = 0; byte < sound.words.bytes(); ++byte) {
    const auto words = sound.words.as_bytes();
    std::vector<std::byte> bytes(words.begin(), words.end());
    bytes[byte] ^= std::byte{0x5a};
    sim.ask(store.address, {sound.type, runtime::Words::copy(bytes)}, 10s,
            [&](const auto& answer) { refused += runtime::failure_of(answer).has_value(); });
    sim.run_until(sim.now() + 1s);
    BOOST_REQUIRE(sim.alive(store.address));
  }
  BOOST_TEST(refused > 20u);
}

BOOST_AUTO_TEST_SUITE_END()

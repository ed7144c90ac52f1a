#include "runtime/link/brief_turns.hpp"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "tests/runtime/link/test_node.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace std::chrono_literals;

namespace brief_turns_test {

class Brief : public caf::event_based_actor, public BriefActor {
 public:
  using caf::event_based_actor::event_based_actor;
  bool has_brief_turns() const override { return true; }
  std::string text() const override { return "a brief actor"; }
};

/// How many turns each thread ran.
struct Threads {
  std::mutex mutex;
  std::map<std::thread::id, std::size_t> turns;

  void note() {
    const std::lock_guard lock(mutex);
    ++turns[std::this_thread::get_id()];
  }
  std::size_t most() {
    const std::lock_guard lock(mutex);
    std::size_t found = 0;
    for (const auto& [id, count] : turns) found = std::max(found, count);
    return found;
  }
};

struct Two {
  TestNode a{"a", 1};
  TestNode b{"b", 2};
  std::shared_ptr<Threads> threads = std::make_shared<Threads>();

  Two() {
    a.knows(b);
    b.knows(a);
  }

  template <class Self>
  caf::actor doubler() {
    return a.handle(b.spawn([noted = threads](Self*) -> caf::behavior {
      return {[noted](const AnyMessage& message) {
        noted->note();
        return test_message(message.words.data()[0] * 2);
      }};
    }));
  }

  /// Asks `count` numbers, `window` at a time, from an actor of class `Self` on `a`; the sum of the
  /// answers.
  template <class Self>
  std::uint64_t sum(const caf::actor& target, std::uint64_t count, std::uint64_t window) {
    auto done = std::make_shared<std::promise<std::uint64_t>>();
    auto asked = std::make_shared<std::uint64_t>(0);
    auto answered = std::make_shared<std::uint64_t>(0);
    auto total = std::make_shared<std::uint64_t>(0);
    auto next = std::make_shared<std::function<void(Self*)>>();
    *next = [=](Self* self) {
      self->request(target, caf::infinite, test_message(++*asked))
          .then([=](const AnyMessage& message) {
            *total += message.words.data()[0];
            if (*asked < count) (*next)(self);
            if (++*answered == count) done->set_value(*total);
          });
    };
    a.system.spawn([=](Self* self) {
      for (std::uint64_t i = 0; i < window; ++i) (*next)(self);
    });
    auto future = done->get_future();
    BOOST_REQUIRE((future.wait_for(60s) == std::future_status::ready));
    *next = {};
    return future.get();
  }
};

}  // namespace brief_turns_test

BOOST_FIXTURE_TEST_SUITE(brief_turns_test, Two)

BOOST_AUTO_TEST_CASE(a_brief_actor_runs_where_its_messages_are_received) {
  const caf::actor target = doubler<Brief>();
  BOOST_TEST(sum<Brief>(target, 1000, 1) == 1001000u);
  // All but perhaps the first, which may find it still in its starting turn at the scheduler.
  BOOST_TEST(threads->most() >= 990u);
}

BOOST_AUTO_TEST_CASE(brief_and_other_actors_ask_each_other_with_many_under_way) {
  const caf::actor brief = doubler<Brief>();
  const caf::actor shared = doubler<caf::event_based_actor>();
  BOOST_TEST(sum<Brief>(shared, 5000, 64) == 25005000u);
  BOOST_TEST(sum<caf::event_based_actor>(brief, 5000, 64) == 25005000u);
  BOOST_TEST(sum<Brief>(brief, 5000, 1000) == 25005000u);
}

// Two of one node that keep each other busy must not keep the link's thread from its connections.
BOOST_AUTO_TEST_CASE(brief_actors_without_end_do_not_hold_the_link_up) {
  auto stop = std::make_shared<std::atomic<bool>>(false);
  const auto player = [stop](Brief* self) -> caf::behavior {
    return {[stop, self](const AnyMessage& message) {
              if (!*stop) self->send(caf::actor_cast<caf::actor>(self->current_sender()), message);
            },
            [self](const caf::actor& other) { self->send(other, test_message(1)); }};
  };
  const ActorAddress one = b.spawn(player);
  const ActorAddress other = b.spawn(player);
  // Started from the link's thread, by a brief actor that is told from afar.
  const ActorAddress starter = b.spawn([=, this](Brief* self) -> caf::behavior {
    return {[=, this](const AnyMessage&) {
      self->send(b.handle(one), b.handle(other));
      return test_message(0);
    }};
  });
  BOOST_TEST(sum<Brief>(a.handle(starter), 1, 1) == 0u);
  BOOST_TEST(sum<Brief>(doubler<Brief>(), 100, 1) == 10100u);
  *stop = true;
}

BOOST_AUTO_TEST_CASE(a_turn_that_is_not_brief_is_counted_and_logged) {
  const caf::actor quick = doubler<Brief>();
  BOOST_TEST(sum<Brief>(quick, 100, 1) == 10100u);
  BOOST_TEST(b.link->totals().slow_turns == 0u);
  const caf::actor slow = a.handle(b.spawn([](Brief*) -> caf::behavior {
    return {[](const AnyMessage&) {
      std::this_thread::sleep_for(120ms);
      return test_message(1);
    }};
  }));
  // The first one may find the actor still in its starting turn at the scheduler.
  for (int i = 0; i < 2; ++i) BOOST_TEST(sum<Brief>(slow, 1, 1) == 1u);
  BOOST_TEST(b.log->wait_for("a brief actor held the link's thread for 0."));
  BOOST_TEST(b.link->totals().slow_turns >= 1u);
  BOOST_TEST(a.link->totals().slow_turns == 0u);
}

BOOST_AUTO_TEST_CASE(a_brief_actor_that_quits_is_seen_to_be_gone) {
  const ActorAddress quitter = b.spawn([](Brief* self) -> caf::behavior {
    return {[self](const AnyMessage& message) {
      self->quit();
      return test_message(message.words.data()[0]);
    }};
  });
  BOOST_TEST(sum<Brief>(a.handle(quitter), 1, 1) == 1u);
  caf::scoped_actor self(a.system);
  bool refused = false;
  self->request(a.handle(quitter), 20s, test_message(2))
      .receive([](const AnyMessage&) {},
               [&](caf::error& error) {
                 refused = from_caf(error).code == Errc::unavailable ||
                           from_caf(error).code == Errc::not_found;
               });
  BOOST_TEST(refused);
}

BOOST_AUTO_TEST_SUITE_END()

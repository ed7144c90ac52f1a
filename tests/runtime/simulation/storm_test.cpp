#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

#include "runtime/base/random.hpp"
#include "tests/support/stage.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace storm_test {

// Puppets on many nodes, each with one question under way to another one, again and again.
class Storm {
 public:
  Storm(std::uint64_t seed, std::size_t actors, std::size_t nodes, const LinkModel& link)
      : simulation(seed, link), random_(seed, 100) {
    std::vector<NodeId> places;
    for (std::size_t i = 0; i < nodes; ++i) places.push_back(simulation.add_node("node"));
    for (std::size_t i = 0; i < actors; ++i)
      (void)simulation.spawn(places[i % nodes], puppet_type([this](Puppet& puppet) {
                               puppets_.push_back(puppet.self_ref());
                               puppet.when_started = [this, &puppet] { next(puppet); };
                             }),
                             {});
  }

  Simulation simulation;
  std::uint64_t asked = 0;
  std::uint64_t right = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t dead = 0;

 private:
  void next(Puppet& puppet) {
    const std::uint64_t value = ++asked;
    puppet.ask(puppets_[random_.below(puppets_.size())], question(value), 100ms,
               [this, &puppet, value](const Result<Note>& answer) {
                 if (answer)
                   right += value_of(answer.value()) == value;
                 else if (answer.error().code == Errc::timeout)
                   ++timeouts;
                 else
                   ++dead;
                 next(puppet);
               });
  }

  Random random_;
  std::vector<PuppetRef> puppets_;
};

}  // namespace storm_test

BOOST_AUTO_TEST_SUITE(storm_test)

BOOST_AUTO_TEST_CASE(a_thousand_actors_lose_messages_but_no_answers) {
  Storm storm(1, 1000, 50, LinkModel{.loss = 0.02});
  storm.simulation.run_until(simulation_start + 1s);
  BOOST_TEST(storm.asked > 100'000u);
  BOOST_TEST(storm.timeouts > storm.asked / 100);
  BOOST_TEST(storm.right > storm.asked * 9 / 10);
  // Every question but the one under way of each actor has ended in one of the ways.
  BOOST_TEST(storm.asked - storm.right - storm.timeouts == 1000u);
  BOOST_TEST(storm.dead == 0u);
}

BOOST_DATA_TEST_CASE(a_storm_with_deaths_replays_by_its_seed, boost::unit_test::data::xrange(3),
                     seed) {
  const auto run = [seed] {
    Storm storm(static_cast<std::uint64_t>(seed), 200, 20,
                LinkModel{.loss = 0.05, .detection = 50ms});
    Random random(static_cast<std::uint64_t>(seed), 7);
    storm.simulation.observe([&](const Delivery&) {
      return random.below(200) == 0 ? Verdict::kill_receiver_after : Verdict::deliver;
    });
    storm.simulation.run_until(simulation_start + 200ms);
    BOOST_TEST(storm.dead > 0u);
    return storm.simulation.trace_hash();
  };
  BOOST_TEST(run() == run());
}

// Not a check of speed, which depends on the machine: the bound catches a quadratic loop only.
BOOST_AUTO_TEST_CASE(ten_thousand_actors_are_no_burden) {
  Storm storm(1, 10'000, 100, {});
  const auto before = monotonic_now();
  storm.simulation.run_until(simulation_start + 20ms);
  const double seconds = to_seconds(monotonic_now() - before);
  const auto deliveries = static_cast<double>(storm.simulation.deliveries());
  BOOST_TEST_MESSAGE(deliveries << " deliveries, " << deliveries / seconds << " per second");
  BOOST_TEST(deliveries > 100'000);
  BOOST_TEST(deliveries / seconds > 10'000);
}

BOOST_AUTO_TEST_SUITE_END()

#include "runtime/simulation/network.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::runtime;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(network_test)

constexpr Instant start{1h};

BOOST_AUTO_TEST_CASE(a_lane_keeps_its_order_within_the_delays) {
  Network network(1, LinkModel{.delay_min = 1ms, .delay_max = 9ms});
  Channel& channel = network.channel(1, 2);
  Instant last = start;
  Instant now = start;
  for (int i = 0; i < 1000; ++i, now += 100us) {
    const Instant at = network.arrival(channel, Lane::data, 8, now).value();
    BOOST_REQUIRE((at > last));
    BOOST_REQUIRE((at >= now + 1ms && at <= now + 10ms));
    last = at;
  }
}

BOOST_AUTO_TEST_CASE(control_overtakes_data_and_is_never_lost) {
  Network network(1, LinkModel{.loss = 1, .bandwidth = 1000});
  Channel& channel = network.channel(1, 2);
  BOOST_TEST(!network.arrival(channel, Lane::data, 1'000'000, start));
  BOOST_TEST((network.arrival(channel, Lane::control, 8, start).value() <= start + 500us));
}

BOOST_AUTO_TEST_CASE(the_bandwidth_is_shared_by_what_crosses_a_link_in_one_direction) {
  const LinkModel model{.delay_min = 1ms, .delay_max = 1ms, .bandwidth = 1'000'000};
  Network network(1, model);
  Channel& there = network.channel(1, 2);
  Channel& back = network.channel(2, 1);
  BOOST_TEST((network.arrival(there, Lane::data, 1'000'000, start).value() == start + 1001ms));
  BOOST_TEST((network.arrival(there, Lane::data, 500'000, start).value() == start + 1501ms));
  BOOST_TEST((network.arrival(back, Lane::data, 500'000, start).value() == start + 501ms));
}

BOOST_AUTO_TEST_CASE(the_loss_is_that_of_the_model) {
  Network network(1, LinkModel{.loss = 0.25});
  int lost = 0;
  for (int i = 0; i < 10000; ++i)
    lost += !network.arrival(network.channel(1, 2), Lane::data, 8, start);
  BOOST_TEST(lost > 2300);
  BOOST_TEST(lost < 2700);
  network.set_model({});
  BOOST_TEST(bool(network.arrival(network.channel(1, 2), Lane::data, 8, start)));
}

BOOST_AUTO_TEST_CASE(the_outside_is_reached_at_once_and_without_loss) {
  Network network(1, LinkModel{.delay_min = 1s, .delay_max = 1s, .loss = 1, .bandwidth = 1});
  for (const auto& [from, to] : {std::pair(0u, 2u), std::pair(2u, 0u)}) {
    const auto at = network.arrival(network.channel(from, to), Lane::data, 1000, start);
    BOOST_REQUIRE(at.has_value());
    BOOST_TEST((*at > start && *at <= start + 1us));
  }
}

BOOST_AUTO_TEST_CASE(a_node_keeps_the_order_of_each_sender_and_delivers_later_than_now) {
  Network network(1, {});
  Instant last = start;
  for (int i = 0; i < 1000; ++i) {
    const Instant at = network.local_arrival(last, start);
    BOOST_REQUIRE((at > last && at > start));
    last = at;
  }
}

BOOST_AUTO_TEST_CASE(one_seed_gives_one_sequence) {
  const auto arrivals = [](std::uint64_t seed) {
    Network network(seed, {});
    std::vector<Duration> delays;
    for (std::uint32_t i = 1; i < 20; ++i)
      delays.push_back(*network.arrival(network.channel(i, i + 1), Lane::data, 8, start) - start);
    return delays;
  };
  BOOST_TEST((arrivals(7) == arrivals(7)));
  BOOST_TEST((arrivals(7) != arrivals(8)));
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/emulate/emulation_spec.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

using namespace slime;
using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(emulation_spec_test)

BOOST_AUTO_TEST_CASE(a_sound_emulation_passes) {
  EmulationSpec emulation{.sample_us = 10, .speeds = {1, 0.5}, .noise = 0.2};
  emulation.stalls.push_back({WorkerId(1), 3, 0.5});
  emulation.changes.push_back({WorkerId(0), 0, 2});
  BOOST_TEST(bool(check(emulation)));
}

BOOST_AUTO_TEST_CASE(every_impossible_value_is_refused_and_named) {
  const double infinity = std::numeric_limits<double>::infinity();
  const EmulationSpec sound{.sample_us = 10};
  const auto refused = [&](auto spoil, const std::string& named) {
    EmulationSpec emulation = sound;
    spoil(emulation);
    const Status status = check(emulation);
    BOOST_REQUIRE(!status);
    BOOST_CHECK(status.error().code == Errc::invalid_argument);
    BOOST_TEST(status.error().context.find(named) != std::string::npos);
  };
  for (double value : {0.0, -1.0, infinity}) {
    refused([&](EmulationSpec& e) { e.sample_us = value; }, "sample_us");
    refused([&](EmulationSpec& e) { e.speeds = {1, value}; }, "speed");
    refused([&](EmulationSpec& e) { e.changes.push_back({WorkerId(7), 1, value}); }, "worker 7");
  }
  for (double value : {-1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    refused([&](EmulationSpec& e) { e.fixed_us = value; }, "fixed_us");
    refused([&](EmulationSpec& e) { e.tail_chance = value; }, "tail_chance");
    refused([&](EmulationSpec& e) { e.tail_exponent = value; }, "tail_exponent");
    refused([&](EmulationSpec& e) { e.noise = value; }, "noise");
    refused([&](EmulationSpec& e) { e.changes.push_back({WorkerId(7), value, 1}); }, "worker 7");
    refused([&](EmulationSpec& e) { e.stalls.push_back({WorkerId(7), value, 1}); }, "worker 7");
    refused([&](EmulationSpec& e) { e.stalls.push_back({WorkerId(7), 1, value}); }, "worker 7");
  }
}

BOOST_AUTO_TEST_SUITE_END()

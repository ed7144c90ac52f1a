#include "tools/slime/simulation/capacity.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using tools::Capacity;

namespace capacity_test {

/// Worker 0 falls to half its speed after 100 s; worker 1 is there from second 50 to 150.
Capacity two_workers() {
  trainer::EmulationSpec emulation{.sample_us = 1e6};
  emulation.changes.push_back({WorkerId{0}, 100, 0.5});
  const std::vector<trainer::Lifetime> lives{{.worker = WorkerId{0}},
                                             {.worker = WorkerId{1}, .join_s = 50, .death_s = 150}};
  return Capacity(emulation, lives);
}

}  // namespace capacity_test

BOOST_AUTO_TEST_SUITE(capacity_test)

BOOST_AUTO_TEST_CASE(samples_follow_speeds_and_lives) {
  const Capacity capacity = two_workers();
  BOOST_TEST(capacity.samples(0, 50) == 50);
  BOOST_TEST(capacity.samples(0, 100) == 150);
  BOOST_TEST(capacity.samples(100, 200) == 100);
  BOOST_TEST(capacity.presence_s(100) == 150);
  BOOST_TEST(capacity.presence_s(200) == 300);
}

// Goal: reaction counts the iterations until ten in a row are near the bound.
// Method: one worker; iterations of one sample take a second each, after second 20 some take two.
BOOST_AUTO_TEST_CASE(a_reaction_ends_where_iterations_are_near_the_bound_again) {
  const trainer::EmulationSpec emulation{.sample_us = 1e6};
  const std::vector<trainer::Lifetime> lives{{.worker = WorkerId{0}}};
  const Capacity capacity(emulation, lives);
  const auto finished = [](int slow) {
    std::vector<double> times;
    double now = 0;
    for (int i = 0; i < 60; ++i) times.push_back(now += i >= 20 && i < 20 + slow ? 2 : 1);
    return times;
  };
  BOOST_TEST(capacity.reaction(finished(0), 1, 20.5, 1.05).value() == 1u);
  BOOST_TEST(capacity.reaction(finished(7), 1, 20.5, 1.05).value() == 7u);
  BOOST_TEST(!capacity.reaction(finished(40), 1, 20.5, 1.05).has_value());
  BOOST_TEST(!capacity.reaction(finished(0), 1, 1000, 1.05).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

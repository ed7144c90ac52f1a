#include "trainer/emulate/speed_profile.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace speed_profile_test {

/// Worker 0 at speed 2, from 10 s on at 1/2; stalled from 4 to 6 s, and from 5 to 7 s as well.
EmulationSpec changing() {
  EmulationSpec emulation{.sample_us = 1, .speeds = {2}};
  emulation.changes.push_back({WorkerId(0), 10, 0.5});
  emulation.stalls.push_back({WorkerId(0), 4, 2});
  emulation.stalls.push_back({WorkerId(0), 5, 2});
  return emulation;
}

}  // namespace speed_profile_test

BOOST_AUTO_TEST_SUITE(speed_profile_test)

BOOST_AUTO_TEST_CASE(speeds_begin_again_for_more_workers_than_speeds) {
  const EmulationSpec emulation{.sample_us = 1, .speeds = {2, 3}};
  BOOST_TEST(SpeedProfile(emulation, WorkerId(2)).pieces().at(0).speed == 2);
  BOOST_TEST(SpeedProfile(emulation, WorkerId(5)).pieces().at(0).speed == 3);
  BOOST_TEST(SpeedProfile({.sample_us = 1}, WorkerId(5)).pieces().at(0).speed == 1);
}

BOOST_AUTO_TEST_CASE(work_is_integrated_across_stalls_and_changes) {
  const SpeedProfile profile(changing(), WorkerId(0));
  BOOST_TEST(profile.finish_s(0, 8) == 4.0);
  BOOST_TEST(profile.finish_s(3, 3) == 7.5);
  BOOST_TEST(profile.finish_s(5.5, 1) == 7.5);
  BOOST_TEST(profile.finish_s(9, 3) == 12.0);
  BOOST_TEST(profile.finish_s(20, 1) == 22.0);
  BOOST_TEST(profile.finish_s(5, 0) == 5.0);
  BOOST_TEST(profile.work(0, 12) == 8.0 + 6.0 + 1.0);
}

BOOST_AUTO_TEST_CASE(other_workers_are_not_touched) {
  const SpeedProfile profile(changing(), WorkerId(1));
  BOOST_TEST(profile.pieces().size() == 1u);
  BOOST_TEST(profile.finish_s(4, 3) == 5.5);  // At speed 2, as the list begins again.
}

BOOST_AUTO_TEST_CASE(a_change_during_a_stall_takes_effect_after_it) {
  EmulationSpec emulation{.sample_us = 1};
  emulation.stalls.push_back({WorkerId(0), 1, 4});
  emulation.changes.push_back({WorkerId(0), 2, 8});
  emulation.changes.push_back({WorkerId(0), 2, 4});
  BOOST_TEST(SpeedProfile(emulation, WorkerId(0)).finish_s(0, 5) == 6.0);
}

BOOST_AUTO_TEST_CASE(finish_and_work_are_each_others_inverse) {
  Random random(51);
  for (int round = 0; round < 200; ++round) {
    EmulationSpec emulation{.sample_us = 1};
    for (int i = 0; i < 5; ++i) {
      emulation.changes.push_back({WorkerId(0), 20 * random.uniform(), 0.1 + random.uniform()});
      emulation.stalls.push_back({WorkerId(0), 20 * random.uniform(), 3 * random.uniform()});
    }
    const SpeedProfile profile(emulation, WorkerId(0));
    const double start = 25 * random.uniform();
    const double work = 0.01 + 10 * random.uniform();
    BOOST_REQUIRE_CLOSE(profile.work(start, profile.finish_s(start, work)), work, 1e-9);
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/optim/schedules.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>

using namespace slime;
using namespace slime::trainer;
namespace tt = boost::test_tools;

namespace schedules_test {

constexpr ScheduleSettings settings{.learning_rate = 0.4,
                                    .step_epochs = 1.5,
                                    .step_factor = 0.5,
                                    .epochs = 4,
                                    .training_samples = 1'000};

double rate(std::string_view name, std::uint64_t samples) {
  return Schedule::make(name, settings).value().learning_rate(samples);
}

}  // namespace schedules_test

BOOST_AUTO_TEST_SUITE(schedules_test)

BOOST_AUTO_TEST_CASE(all_start_at_the_learning_rate_and_never_rise) {
  for (std::string_view name : Schedule::names()) {
    double last = rate(name, 0);
    BOOST_TEST(last == settings.learning_rate);
    for (std::uint64_t samples = 0; samples <= 5'000; samples += 7) {
      BOOST_TEST(rate(name, samples) <= last);
      BOOST_TEST(rate(name, samples) >= 0);
      last = rate(name, samples);
    }
  }
}

BOOST_AUTO_TEST_CASE(constant_stays) {
  BOOST_TEST(rate("constant", 123'456) == 0.4);
}

BOOST_AUTO_TEST_CASE(step_changes_after_whole_periods_of_samples) {
  BOOST_TEST(rate("step", 1'499) == 0.4);
  BOOST_TEST(rate("step", 1'500) == 0.2);
  BOOST_TEST(rate("step", 3'000) == 0.1);
}

BOOST_AUTO_TEST_CASE(cosine_is_half_way_at_half_time_and_zero_from_the_end_on) {
  BOOST_TEST(rate("cosine", 2'000) == 0.2, tt::tolerance(1e-12));
  BOOST_TEST(rate("cosine", 1'000) == 0.2 * (1 + std::sqrt(0.5)), tt::tolerance(1e-12));
  BOOST_TEST(rate("cosine", 4'000) == 0);
  BOOST_TEST(rate("cosine", 9'000) == 0);
}

BOOST_AUTO_TEST_CASE(bad_settings_are_refused_by_name) {
  const auto context = [](const ScheduleSettings& bad) {
    const auto made = Schedule::make("step", bad);
    return made ? std::string() : made.error().context;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(context({.learning_rate = 0}).starts_with("learning_rate is 0"));
  BOOST_TEST(context({.learning_rate = nan}).starts_with("learning_rate is"));
  BOOST_TEST(context({.step_epochs = -1}).starts_with("step_epochs is -1"));
  BOOST_TEST(context({.step_factor = 1.5}).starts_with("step_factor is 1.5"));
  BOOST_TEST(context({.epochs = 0}).starts_with("epochs is 0"));
  BOOST_TEST(context({.training_samples = 0}).find("no training samples") != std::string::npos);
  BOOST_TEST(context({}).empty());
  BOOST_TEST(Schedule::make("cosin", settings).error().context.ends_with("\"cosine\"?"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "actors/training/usage_meter.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/wire/message.hpp"

using namespace slime;
using namespace slime::actors;
using namespace std::chrono_literals;

namespace usage_meter_test {

struct Metered {
  using Measurement = runtime::Message<schema::Measurement>;

  Measurement at(Duration time) {
    return Measurement::make(
        [&](schema::Measurement::Builder root) { status = meter.report(Instant{} + time, root); });
  }
  bool reports(Duration time) {
    return at(time).read([](schema::Measurement::Reader read) { return read.hasUsage(); });
  }

  MachineUsage now{
      .cpu_s = 1, .memory_bytes = 4096, .machine_ticks = 1000, .steal_ticks = 10, .run_queue = 3};
  Result<MachineUsage> answer = now;
  int asked = 0;
  UsageMeter meter{[this] {
    ++asked;
    return answer;
  }};
  Status status = ok();
};

}  // namespace usage_meter_test

BOOST_FIXTURE_TEST_SUITE(usage_meter_test, Metered)

BOOST_AUTO_TEST_CASE(a_report_comes_about_once_a_second) {
  BOOST_TEST(reports(0s));
  BOOST_TEST(!reports(999ms));
  BOOST_TEST(reports(1s));
  BOOST_TEST(asked == 2);
}

BOOST_AUTO_TEST_CASE(steal_is_of_the_time_since_the_report_before) {
  at(0s).read([](schema::Measurement::Reader read) {
    BOOST_TEST(read.getUsage().getStealFraction() == 0);
    BOOST_TEST(read.getUsage().getCpuSeconds() == 1);
    BOOST_TEST(read.getUsage().getMemoryBytes() == 4096u);
    BOOST_TEST(read.getUsage().getRunQueue() == 3u);
  });
  now.machine_ticks += 200;
  now.steal_ticks += 50;
  answer = now;
  at(1s).read([](schema::Measurement::Reader read) {
    BOOST_TEST(read.getUsage().getStealFraction() == 0.25);
  });
  now.steal_ticks = 0;
  answer = now;
  at(2s).read([](schema::Measurement::Reader read) {
    BOOST_TEST(read.getUsage().getStealFraction() == 0);
  });
}

BOOST_AUTO_TEST_CASE(bytes_are_counted_from_the_start) {
  meter.fetched(100);
  at(0s);
  meter.fetched(20);
  meter.pushed(7);
  at(1s).read([](schema::Measurement::Reader read) {
    BOOST_TEST(read.getUsage().getBytesIn() == 120u);
    BOOST_TEST(read.getUsage().getBytesOut() == 7u);
  });
}

BOOST_AUTO_TEST_CASE(a_source_that_fails_is_asked_once) {
  answer = Error{Errc::io_error, "there is no /proc"};
  BOOST_TEST(!reports(0s));
  BOOST_TEST(!status);
  BOOST_TEST(!reports(5s));
  BOOST_TEST(bool(status));
  BOOST_TEST(asked == 1);
}

BOOST_AUTO_TEST_CASE(without_a_source_nothing_is_reported) {
  meter = UsageMeter({});
  BOOST_TEST(!reports(0s));
  BOOST_TEST(bool(status));
}

BOOST_AUTO_TEST_SUITE_END()

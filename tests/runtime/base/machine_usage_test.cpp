#include "runtime/base/machine_usage.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;

namespace machine_usage_test {

const ProcTexts sample{
    .self_stat =
        "4242 (a name) with (brackets)) S 1 4242 4242 0 -1 4194304 900 0 0 0 250 50 0 0 20 "
        "0 9 0 100 1000000 500\n",
    .self_status = "Name:\tVmRSS: 9 kB\nVmRSS:\t    2000 kB\nRssAnon:\t 7 kB\n",
    .stat = "cpu  100 10 50 800 20 5 5 10 3 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
    .loadavg = "0.20 0.18 0.12 3/80 11206\n"};

}  // namespace machine_usage_test

BOOST_AUTO_TEST_SUITE(machine_usage_test)

BOOST_AUTO_TEST_CASE(every_number_is_found_in_its_file) {
  const auto usage = parse_usage(sample);
  BOOST_REQUIRE(bool(usage));
  BOOST_TEST(usage->cpu_s == 3);
  BOOST_TEST(usage->memory_bytes == 2000u * 1024);
  BOOST_TEST(usage->machine_ticks == 1000u);
  BOOST_TEST(usage->steal_ticks == 10u);
  BOOST_TEST(usage->run_queue == 3u);
}

BOOST_AUTO_TEST_CASE(a_file_that_reads_otherwise_is_named) {
  const auto refused = [](std::string ProcTexts::*file, std::string_view name) {
    for (const char* text : {"", "nonsense", "1 (x"}) {
      ProcTexts texts = sample;
      texts.*file = text;
      const auto usage = parse_usage(texts);
      BOOST_REQUIRE(!usage);
      BOOST_TEST((usage.error().code == Errc::corruption));
      BOOST_TEST(usage.error().context.find(name) != std::string::npos);
    }
  };
  refused(&ProcTexts::self_stat, "self/stat");
  refused(&ProcTexts::self_status, "self/status");
  refused(&ProcTexts::stat, "/stat");
  refused(&ProcTexts::loadavg, "loadavg");
}

BOOST_AUTO_TEST_CASE(this_process_has_memory_and_runs) {
  const auto usage = read_usage();
  BOOST_REQUIRE(bool(usage));
  BOOST_TEST(usage->memory_bytes > 100'000u);
  BOOST_TEST(usage->machine_ticks > 0u);
  BOOST_TEST(usage->run_queue >= 1u);
}

BOOST_AUTO_TEST_SUITE_END()

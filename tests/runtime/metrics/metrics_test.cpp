#include "runtime/metrics/metrics.hpp"

#include <array>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <set>
#include <string>

using namespace slime::runtime;

namespace metrics_test {

constexpr std::size_t numbers = sizeof(NodeStats) / sizeof(std::uint64_t);

/// A node all of whose numbers differ.
NodeStats distinct() {
  std::array<std::uint64_t, numbers> values;
  for (std::size_t i = 0; i < numbers; ++i) values[i] = 1000 + i;
  return std::bit_cast<NodeStats>(values);
}

}  // namespace metrics_test

// Every metric of the list runs through each case.
BOOST_AUTO_TEST_SUITE(metrics_test)

BOOST_AUTO_TEST_CASE(every_metric_is_named_as_prometheus_has_it) {
  std::set<std::string_view> names;
  for (const Metric& metric : metrics()) {
    BOOST_TEST_CONTEXT(metric.name) {
      BOOST_TEST(names.insert(metric.name).second);
      BOOST_TEST(metric.name.starts_with("slime_"));
      for (const char letter : metric.name)
        BOOST_TEST((std::islower(static_cast<unsigned char>(letter)) != 0 || letter == '_'));
      const std::string unit(metric.unit);
      BOOST_TEST(!unit.empty());
      const bool counter = metric.kind == MetricKind::counter;
      BOOST_TEST(metric.name.ends_with("_" + unit + (counter ? "_total" : "")));
      BOOST_TEST(metric.name.ends_with("_total") == counter);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_metric_explains_itself_in_a_sentence) {
  for (const Metric& metric : metrics()) {
    BOOST_TEST_CONTEXT(metric.name) {
      BOOST_REQUIRE(!metric.help.empty());
      BOOST_TEST(std::isupper(static_cast<unsigned char>(metric.help.front())) != 0);
      BOOST_TEST(metric.help.ends_with('.'));
      BOOST_TEST(metric.help.find('\n') == std::string_view::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_number_of_a_node_is_told_by_one_metric) {
  const NodeStats stats = distinct();
  std::set<std::uint64_t> told;
  for (const Metric& metric : metrics())
    BOOST_TEST(told.insert(metric.value(stats)).second, metric.name);
  BOOST_TEST(told.size() == numbers);
  BOOST_TEST(*told.begin() == 1000u);
  BOOST_TEST(*told.rbegin() == 1000 + numbers - 1);
}

BOOST_AUTO_TEST_SUITE_END()

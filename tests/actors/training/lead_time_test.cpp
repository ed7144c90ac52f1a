#include "actors/training/lead_time.hpp"

#include <boost/test/unit_test.hpp>

using slime::actors::LeadTime;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(lead_time_test)

// The numbers follow from RFC 6298, (2.2) and (2.3), by hand.
BOOST_AUTO_TEST_CASE(it_follows_mean_and_deviation) {
  const auto close = boost::test_tools::tolerance(1e-12);
  LeadTime lead;
  BOOST_TEST(lead.seconds() == 0.0);
  lead.observe(0.1);
  BOOST_TEST(lead.seconds() == 0.1 + 4 * 0.05, close);
  lead.observe(0.2);
  BOOST_TEST(lead.seconds() == 0.1125 + 4 * 0.0625, close);
}

BOOST_AUTO_TEST_CASE(steady_answers_leave_no_margin_and_a_late_one_makes_it) {
  LeadTime lead;
  for (int i = 0; i < 100; ++i) lead.observe(0.01);
  BOOST_TEST(lead.seconds() < 0.0101);
  lead.observe(0.03);
  BOOST_TEST(lead.seconds() > 0.03);
}

// Goal: a lost message is missed soon where answers are known to be quick, never sooner than they
// come, and a large one not before it can have been transferred.
BOOST_AUTO_TEST_CASE(it_says_when_to_ask_again) {
  LeadTime lead;
  BOOST_TEST((lead.retry().first == 1s && lead.retry().most == 1s));
  for (int i = 0; i < 100; ++i) lead.observe(0.001);
  BOOST_TEST((lead.retry().first == 20ms && lead.retry().most == 1s));
  BOOST_TEST((lead.retry(8 << 20).first == 2020ms && lead.retry(8 << 20).most == 3s));
  for (int i = 0; i < 100; ++i) lead.observe(0.1);
  BOOST_TEST((lead.retry().first > 99ms && lead.retry().first < 110ms));
  lead.observe(30);
  BOOST_TEST((lead.retry().first == 1s && lead.retry().most == 1s));
}

BOOST_AUTO_TEST_SUITE_END()

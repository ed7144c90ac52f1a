#include "actors/training/lead_time.hpp"

#include <boost/test/unit_test.hpp>

using slime::actors::LeadTime;

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

BOOST_AUTO_TEST_SUITE_END()

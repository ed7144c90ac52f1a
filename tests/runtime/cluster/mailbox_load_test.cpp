#include "runtime/cluster/mailbox_load.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(mailbox_load_test)

BOOST_AUTO_TEST_CASE(either_bound_makes_it_full_and_taking_out_makes_room) {
  MailboxLoad by_count({.messages = 2, .bytes = 1000});
  by_count.add(1);
  BOOST_TEST(!by_count.full());
  by_count.add(1);
  BOOST_TEST(by_count.full());
  by_count.remove(1);
  BOOST_TEST(!by_count.full());

  MailboxLoad by_size({.messages = 100, .bytes = 1000});
  by_size.add(1000);
  BOOST_TEST(by_size.full());
  by_size.remove(1000);
  BOOST_TEST(!by_size.full());
}

BOOST_AUTO_TEST_CASE(what_waits_can_be_read) {
  MailboxLoad load({});
  load.add(10);
  load.add(20);
  load.remove(10);
  BOOST_TEST(load.messages() == 1u);
  BOOST_TEST(load.bytes() == 20u);
}

BOOST_AUTO_TEST_SUITE_END()

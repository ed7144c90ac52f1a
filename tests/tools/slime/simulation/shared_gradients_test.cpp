#include "tools/slime/simulation/shared_gradients.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;

BOOST_AUTO_TEST_SUITE(shared_gradients_test)

BOOST_AUTO_TEST_CASE(all_workers_get_what_the_first_one_opened) {
  tools::SharedGradients shared(64);
  const trainer::BlockGradients::Settings settings{.format = "none",
                                                   .train_files = {},
                                                   .test_files = {},
                                                   .layers = {"dense 2"},
                                                   .device = "cpu",
                                                   .batch = 16,
                                                   .block = 4,
                                                   .seed = 1};
  const auto first = shared.source()->open(settings);
  const auto second = shared.source()->open(settings);
  BOOST_REQUIRE(bool(first));
  BOOST_TEST(*first == second.value());
  BOOST_TEST((*first)->data().train.samples() == 64u);
  BOOST_TEST((*first)->data().train.classes() == 2u);
}

BOOST_AUTO_TEST_CASE(a_job_that_cannot_be_is_refused) {
  tools::SharedGradients shared(64);
  const auto opened = shared.source()->open({.format = "none",
                                             .train_files = {},
                                             .test_files = {},
                                             .layers = {"dense 1"},
                                             .device = "cpu",
                                             .batch = 16,
                                             .block = 4,
                                             .seed = 1});
  BOOST_REQUIRE(!opened);
  BOOST_CHECK(opened.error().code == Errc::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

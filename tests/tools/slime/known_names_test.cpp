#include "tools/slime/known_names.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(known_names_test)

BOOST_AUTO_TEST_CASE(what_the_trainer_offers_is_known) {
  const KnownNames known = known_names();
  const auto has = [](const std::vector<std::string_view>& names, std::string_view name) {
    return std::ranges::count(names, name) == 1;
  };
  BOOST_TEST(has(known.modes, "bsp"));
  BOOST_TEST(has(known.modes, "a_dsp"));
  BOOST_TEST(has(known.policies, "adapt_fr"));
  BOOST_TEST(has(known.optimizers, "sgd"));
  BOOST_TEST(has(known.formats, "idx"));
  BOOST_TEST(has(known.layers, "dense"));
}

BOOST_AUTO_TEST_SUITE_END()

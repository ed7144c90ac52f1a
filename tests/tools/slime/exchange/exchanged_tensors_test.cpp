#include "tools/slime/exchange/exchanged_tensors.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(exchanged_tensors_test)

BOOST_AUTO_TEST_CASE(slots_follow_all_values_under_names_of_their_own) {
  const std::vector<trainer::TensorInfo> tensors{{"a", {2}, 0, 2}, {"b", {1}, 2, 1}};
  const auto all = checkpoint_tensors(tensors, 2);
  BOOST_TEST(names_of(all) ==
             (std::vector<std::string>{"a", "b", "a.slot_0", "b.slot_0", "a.slot_1", "b.slot_1"}));
  BOOST_TEST(all[5].plane == 2u);
  BOOST_TEST(all[5].info.first == 2u);
  BOOST_TEST(checkpoint_tensors(tensors, 0).size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/checkpoint_tensors.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/storage/sample_checkpoint.hpp"

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(checkpoint_tensors_test)

BOOST_AUTO_TEST_CASE(a_manifest_names_its_tensors) {
  const auto manifest = storage::Manifest::make([](schema::CheckpointManifest::Builder root) {
    auto tensors = root.initTensors(2);
    tensors[0].setName("0.weight");
    tensors[0].setShape({64, 10});
    tensors[1].setName("0.bias");
    tensors[1].setShape({10});
    tensors[1].setOffset(640);
  });
  const std::vector<trainer::TensorInfo> expected{{"0.weight", {64, 10}, 0, 640},
                                                  {"0.bias", {10}, 640, 10}};
  BOOST_TEST((stored_tensors(manifest) == expected));
}

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

#include "tools/slime/checkpoint_tensors.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(checkpoint_tensors_test)

// Goal: a checkpoint's tensors are those of the job's model, under the same names.
BOOST_AUTO_TEST_CASE(stored_tensors_are_those_of_the_model) {
  const std::vector<std::string> layers{"dense 256 relu", "dense 10"};
  const auto model = trainer::tensors_of(layers, 64).value();
  const auto manifest = storage::Manifest::make([&](schema::CheckpointManifest::Builder root) {
    auto tensors = root.initTensors(static_cast<unsigned>(model.size()));
    for (unsigned i = 0; i < tensors.size(); ++i) {
      tensors[i].setName(model[i].name);
      tensors[i].setOffset(model[i].first);
      auto shape = tensors[i].initShape(static_cast<unsigned>(model[i].shape.size()));
      for (unsigned d = 0; d < shape.size(); ++d) shape.set(d, model[i].shape[d]);
    }
  });
  BOOST_TEST((stored_tensors(manifest) == model));
}

BOOST_AUTO_TEST_CASE(a_place_is_told_by_its_index_in_row_major_order) {
  const std::vector<std::uint64_t> matrix{3, 4}, vector{5};
  BOOST_TEST(index_text(matrix, 0) == "[0, 0]");
  BOOST_TEST(index_text(matrix, 6) == "[1, 2]");
  BOOST_TEST(index_text(matrix, 11) == "[2, 3]");
  BOOST_TEST(index_text(vector, 4) == "[4]");
  BOOST_TEST(index_text({}, 0) == "[]");
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/stored_tensor_reader.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/stored_model.hpp"

using namespace slime;
using namespace slime::tools;

namespace stored_tensor_reader_test {

struct Stored : slime::tests::StoredModel {
  Stored() { save({1, 10}); }

  /// Values and the optimizer's slot.
  StoredTensorReader reader() const {
    const auto head =
        storage::CheckpointStore::open(directory / "head", storage::OpenMode::read_only);
    auto checkpoint = storage::CheckpointReader::open(directory, head->manifest({1, 10}).value());
    return {std::move(*checkpoint), checkpoint_tensors(tensors, 1)};
  }
};

}  // namespace stored_tensor_reader_test

BOOST_FIXTURE_TEST_SUITE(stored_tensor_reader_test, Stored)

BOOST_AUTO_TEST_CASE(tensors_and_slots_are_read_in_pieces_of_any_size) {
  const StoredTensorReader file = reader();
  BOOST_REQUIRE(file.tensors().size() == 8u);
  std::vector<float> values, slots;
  for (std::size_t i = 0; i < 8; ++i) {
    BOOST_TEST(file.tensors()[i].objection == "");
    const trainer::TensorInfo& info = tensors[i % 4];
    BOOST_TEST((file.tensors()[i].shape == info.shape));
    BOOST_TEST(file.tensors()[i].name == (i < 4 ? info.name : info.name + ".slot_0"));
    const auto stream = file.open(i);
    BOOST_REQUIRE(bool(stream));
    std::vector<float> tensor(info.count);
    for (std::size_t done = 0, piece = 1; done < tensor.size();
         done += piece, piece = 3 * piece + 1)
      BOOST_REQUIRE(bool(
          (*stream)->read(std::span(tensor).subspan(done, std::min(piece, tensor.size() - done)))));
    auto& all = i < 4 ? values : slots;
    all.insert(all.end(), tensor.begin(), tensor.end());
  }
  BOOST_TEST((values == model.values));
  BOOST_TEST((slots == model.slots.front()));
}

BOOST_AUTO_TEST_CASE(damage_is_found_as_it_is_read) {
  const StoredTensorReader file = reader();
  {
    const auto store =
        storage::Database::open(directory / "head", storage::OpenMode::read_write).value();
    storage::Batch batch;
    batch.put(storage::Table::blocks, store->files(storage::Table::blocks).front().first, "x");
    BOOST_REQUIRE(bool(store->write(batch)));
  }
  std::vector<float> some(10);
  BOOST_TEST(bool((*file.open(0))->read(some)));  // As it was when it was opened.
  BOOST_TEST(((*reader().open(0))->read(some).error().code == Errc::corruption));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/first_checkpoint.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/checkpoint_reader.hpp"
#include "storage/newest_valid.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"

using namespace slime;
using namespace slime::tools;

namespace first_checkpoint_test {

// More than one part, and more than whole blocks.
constexpr std::uint64_t parameters = 130 * storage::block_parameters + 7;

struct Import : slime::tests::TempDir {
  Import() {
    BOOST_REQUIRE(bool(slime::tests::write_file(path() / "file.safetensors",
                                                {{"w", {parameters}, numbers.values}})));
    file = std::move(*(*tensor_file_format("x.safetensors"))->read(path() / "file.safetensors"));
    for (const CheckpointTensor& tensor : checkpoint_tensors(tensors, 1))
      imported.push_back(
          {tensor, tensor.plane == 0 ? std::optional<std::size_t>(0) : std::nullopt});
  }

  ImportedPlanes planes() const { return ImportedPlanes(*file, imported, initial); }
  Result<storage::CheckpointId> store() const {
    const FirstCheckpoint checkpoint{directory, "head", tensors, 1'700'000'000'000'000};
    const auto job = runtime::Message<schema::JobSpec>::make(
        [](schema::JobSpec::Builder root) { root.setName("imported"); });
    return store_first_checkpoint(checkpoint, job, planes());
  }

  const std::filesystem::path directory = path() / "runs";
  const slime::tests::Numbers numbers = slime::tests::numbers(parameters, 3);
  const std::vector<trainer::TensorInfo> tensors{{"w", {parameters}, 0, parameters}};
  const InitialValues initial = [](std::uint64_t, std::span<float>) {};
  std::unique_ptr<TensorFileReader> file;
  std::vector<ImportedTensor> imported;
};

}  // namespace first_checkpoint_test

BOOST_FIXTURE_TEST_SUITE(first_checkpoint_test, Import)

BOOST_AUTO_TEST_CASE(it_is_a_checkpoint_of_iteration_0_with_those_parameters) {
  BOOST_TEST(bool(check_numbers(planes(), parameters)));
  BOOST_TEST(!std::filesystem::exists(directory));
  const auto id = store();
  BOOST_REQUIRE(bool(id));
  BOOST_TEST((*id == storage::CheckpointId{1, 0}));
  const auto newest = storage::newest_valid(directory, "head");
  BOOST_REQUIRE(bool(newest));
  newest->manifest.read([](schema::CheckpointManifest::Reader read) {
    BOOST_TEST(read.getIteration() == 0u);
    BOOST_TEST(read.getRunTerm() == 1u);
    BOOST_TEST(read.getRun() == 0u);
    BOOST_TEST(read.getPosition() == 0u);
    BOOST_TEST((read.getAccuracy() != read.getAccuracy()));
    BOOST_TEST(read.getJob().getName().cStr() == "imported");
    BOOST_TEST(read.getTensors()[0].getName().cStr() == "w");
  });
  const auto reader = storage::CheckpointReader::open(directory, newest->manifest);
  BOOST_REQUIRE(bool(reader));
  std::vector<float> values(parameters), slot(parameters, 1.0F);
  const std::span<float> slots[] = {slot};
  BOOST_TEST(bool(reader->read(0, values, slots)));
  BOOST_TEST((values == numbers.values));
  BOOST_TEST((slot == std::vector<float>(parameters)));
}

// Goal: what is in the directory stays, and the import is newer than all of it.
BOOST_AUTO_TEST_CASE(what_other_runs_left_is_kept) {
  {
    auto head = storage::CheckpointStore::open(directory / "head", storage::OpenMode::create);
    BOOST_REQUIRE(bool(slime::tests::save(*head, {4, 60}, slime::tests::numbers(100, 1), 4)));
    auto other = storage::CheckpointStore::open(directory / "other", storage::OpenMode::create);
    BOOST_REQUIRE(
        bool(slime::tests::write_range(*other, {6, 5}, slime::tests::numbers(100, 1), 0, 100)));
    BOOST_TEST((store().error().code == Errc::already_exists));
  }
  BOOST_TEST((*store() == storage::CheckpointId{7, 0}));
  const auto head =
      storage::CheckpointStore::open(directory / "head", storage::OpenMode::read_only);
  BOOST_TEST(head->list().size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

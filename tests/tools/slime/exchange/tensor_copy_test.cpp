#include "tools/slime/exchange/tensor_copy.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <optional>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"

using namespace slime;
using namespace slime::tools;
namespace fs = std::filesystem;

namespace tensor_copy_test {

constexpr std::uint64_t block = storage::block_parameters;
constexpr std::uint64_t parameters = 3 * block + 100;
constexpr storage::CheckpointId id{1, 10};

/// A model of three tensors whose bounds are no blocks' bounds.
const std::vector<trainer::TensorInfo> tensors{{"a", {2, 50}, 0, 100},
                                               {"b", {2 * block}, 100, 2 * block},
                                               {"c", {block}, 100 + 2 * block, block}};

struct Stores : slime::tests::TempDir {
  /// A checkpoint of the same numbers, in parts of so many blocks, each in a store of its own.
  storage::Manifest save(const std::string& name, std::uint64_t blocks) const {
    const auto numbers = slime::tests::numbers(parameters, 5);
    std::vector<std::string> nodes;
    std::vector<storage::PartInfo> parts;
    for (std::uint64_t first = 0; first < parameters; first += blocks * block) {
      nodes.push_back("node-" + std::to_string(nodes.size()));
      auto store =
          storage::CheckpointStore::open(path() / name / nodes.back(), storage::OpenMode::create);
      parts.push_back(*slime::tests::write_range(*store, id, numbers, first,
                                                 std::min(blocks * block, parameters - first)));
    }
    return slime::tests::manifest_of(id, nodes, parts);
  }

  Result<bool> copy(const std::string& name, const storage::Manifest& manifest,
                    const std::string& file, const std::function<bool()>& stop) const {
    const auto reader = storage::CheckpointReader::open(path() / name, manifest);
    if (!reader) return reader.error();
    const auto all = checkpoint_tensors(tensors, reader->slots());
    std::vector<trainer::TensorInfo> infos;
    for (const CheckpointTensor& tensor : all) infos.push_back(tensor.info);
    auto written = NewFile::begin(path() / file, false);
    auto writer = (*tensor_file_format(file))->write(*written, infos, {});
    auto copied = copy_tensors(*reader, all, **writer, stop);
    if (copied && *copied)
      if (Status there = written->commit(); !there) return there.error();
    return copied;
  }
};

const std::function<bool()> never = [] { return false; };

}  // namespace tensor_copy_test

BOOST_FIXTURE_TEST_SUITE(tensor_copy_test, Stores)

// Goal: how many shards saved a model is no matter to what is exported.
BOOST_AUTO_TEST_CASE(one_shard_and_four_give_the_same_file) {
  const auto one = save("one", 4), four = save("four", 1);
  for (const std::string extension : {".safetensors", ".npz"}) {
    BOOST_TEST(*copy("one", one, "one" + extension, never));
    BOOST_TEST(*copy("four", four, "four" + extension, never));
    BOOST_TEST((read("one" + extension) == read("four" + extension)));
  }
  const auto file = (*tensor_file_format("x.npz"))->read(path() / "four.npz");
  const auto numbers = slime::tests::numbers(parameters, 5);
  BOOST_TEST(
      (*slime::tests::numbers_of(**file, 1, 2 * block) ==
       std::vector<float>(numbers.values.begin() + 100, numbers.values.begin() + 100 + 2 * block)));
  BOOST_TEST((*slime::tests::numbers_of(**file, 3, 100) ==
              std::vector<float>(numbers.slots[0].begin(), numbers.slots[0].begin() + 100)));
}

BOOST_AUTO_TEST_CASE(damage_in_a_block_is_found_and_leaves_no_file) {
  const auto manifest = save("one", 4);
  for (const auto& entry : fs::directory_iterator(path() / "one" / "node-0"))
    if (entry.path().extension() == ".sst" && entry.file_size() > 100'000) {
      std::fstream table(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
      table.seekp(50'000);
      table.write("spoilt", 6);
    }
  const auto copied = copy("one", manifest, "file.npz", never);
  BOOST_REQUIRE(!copied);
  BOOST_TEST((copied.error().code == Errc::corruption));
  BOOST_TEST(!fs::exists(path() / "file.npz"));
}

BOOST_AUTO_TEST_CASE(it_stops_between_blocks_when_it_is_told_to) {
  const auto manifest = save("one", 4);
  int asked = 0;
  const auto copied = copy("one", manifest, "file.npz", [&asked] { return ++asked == 3; });
  BOOST_REQUIRE(bool(copied));
  BOOST_TEST(!*copied);
  BOOST_TEST(asked == 3);
  BOOST_TEST(!fs::exists(path() / "file.npz"));
}

BOOST_AUTO_TEST_SUITE_END()

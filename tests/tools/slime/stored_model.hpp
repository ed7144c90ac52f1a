#pragma once

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/model/tensors.hpp"

namespace slime::tests {

/// A job's checkpoints, taken by its own head in `path()`/runs, with two shards on two nodes. The
/// model has three blocks of parameters in four tensors, and one optimizer slot.
struct StoredModel : TempDir {
  static constexpr std::uint64_t first_shard = 2 * storage::block_parameters;

  /// Saves `model` as it is now.
  void save(storage::CheckpointId id, double accuracy = std::numeric_limits<double>::quiet_NaN()) {
    const std::string nodes[] = {"head", "aside"};
    std::vector<storage::PartInfo> parts;
    for (const std::string& node : nodes) {
      auto store = storage::CheckpointStore::open(directory / node, storage::OpenMode::create);
      BOOST_REQUIRE(bool(store));
      const std::uint64_t first = parts.empty() ? 0 : first_shard;
      const std::uint64_t end = parts.empty() ? first_shard : model.values.size();
      parts.push_back(write_range(*store, id, model, first, end - first).value());
    }
    auto head = storage::CheckpointStore::open(directory / "head", storage::OpenMode::read_write);
    BOOST_REQUIRE(bool(head));
    const auto sample = manifest_of(id, nodes, parts);
    BOOST_REQUIRE(bool(head->commit(storage::Manifest::make([&](auto root) {
      root.setTerm(id.term);
      root.setIteration(id.iteration);
      root.setEpoch(2);
      root.setSamples(64 * id.iteration);
      root.setVersion(id.iteration);
      root.setAccuracy(accuracy);
      root.setWallTimeUs(1'700'000'000'000'000);
      root.setSlimeVersion("1.2.3");
      root.initJob().setName("stored");
      sample.read([&root](auto read) { root.setParts(read.getParts()); });
      set_tensors(root);
    }))));
  }

  void set_tensors(schema::CheckpointManifest::Builder root) const {
    auto stored = root.initTensors(static_cast<unsigned>(tensors.size()));
    for (unsigned i = 0; i < stored.size(); ++i) {
      stored[i].setName(tensors[i].name);
      stored[i].setOffset(tensors[i].first);
      auto shape = stored[i].initShape(static_cast<unsigned>(tensors[i].shape.size()));
      for (unsigned d = 0; d < shape.size(); ++d) shape.set(d, tensors[i].shape[d]);
    }
  }

  const std::filesystem::path directory = path() / "runs";
  std::vector<trainer::TensorInfo> tensors =
      trainer::tensors_of(std::vector<std::string>{"dense 500 relu", "dense 10"}, 64).value();
  Numbers model = numbers(tensors.back().first + tensors.back().count, 1);
};

}  // namespace slime::tests

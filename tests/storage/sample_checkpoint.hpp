#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "storage/checkpoint_store.hpp"

namespace slime::tests {

/// A model's numbers, told apart by seed: equal seeds give equal numbers.
struct Numbers {
  std::vector<float> values;
  std::vector<std::vector<float>> slots;
};

inline Numbers numbers(std::uint64_t count, std::uint64_t seed, std::size_t slots = 1) {
  std::vector<std::vector<float>> planes(1 + slots, std::vector<float>(count));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
  for (auto& plane : planes)
    for (float& number : plane) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      number = static_cast<float>(state >> 40);
    }
  Numbers made;
  made.values = std::move(planes.front());
  made.slots.assign(std::make_move_iterator(planes.begin() + 1),
                    std::make_move_iterator(planes.end()));
  return made;
}

/// Stores parameters [first, first + count) of `model`.
inline Result<storage::PartInfo> write_range(storage::CheckpointStore& store,
                                             storage::CheckpointId id, const Numbers& model,
                                             std::uint64_t first, std::uint64_t count) {
  std::vector<std::span<const float>> slots;
  for (const auto& slot : model.slots) slots.push_back(std::span(slot).subspan(first, count));
  const storage::PartHeader header{.checkpoint = id, .version = id.iteration, .first = first};
  return store.write_part(header, std::span(model.values).subspan(first, count), slots);
}

/// Parts that nodes have written; `nodes` has as many entries as `parts`.
inline storage::Manifest manifest_of(storage::CheckpointId id, std::span<const std::string> nodes,
                                     std::span<const storage::PartInfo> parts,
                                     std::uint64_t run = 0) {
  return storage::Manifest::make([&](schema::CheckpointManifest::Builder root) {
    root.setTerm(id.term);
    root.setRunTerm(run);
    root.setIteration(id.iteration);
    root.initJob().setName("sample");
    auto stored = root.initParts(static_cast<unsigned>(parts.size()));
    std::uint64_t count = 0;
    for (unsigned i = 0; i < parts.size(); ++i) {
      storage::name_part(stored[i], nodes[i], parts[i]);
      count += parts[i].count;
    }
    auto tensor = root.initTensors(1)[0];
    tensor.setName("weights");
    tensor.initShape(1).set(0, count);
  });
}

/// The same manifest with a measured accuracy.
inline storage::Manifest with_accuracy(const storage::Manifest& manifest, double accuracy) {
  return manifest.read([accuracy](schema::CheckpointManifest::Reader read) {
    capnp::MallocMessageBuilder draft;
    draft.setRoot(read);
    auto root = draft.getRoot<schema::CheckpointManifest>();
    root.setAccuracy(accuracy);
    return storage::Manifest::copy(root.asReader());
  });
}

/// Writes the whole model as one part and commits it.
inline Status save(storage::CheckpointStore& store, storage::CheckpointId id, const Numbers& model,
                   std::uint64_t run = 0) {
  const auto part = write_range(store, id, model, 0, model.values.size());
  if (!part) return part.error();
  const std::string node = store.folder().filename();
  return store.commit(manifest_of(id, std::span(&node, 1), std::span(&*part, 1), run));
}

}  // namespace slime::tests

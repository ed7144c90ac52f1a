#include "tools/bench/model_store.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "storage/checkpoint_reader.hpp"
#include "storage/pruning.hpp"
#include "tools/bench/plain_file.hpp"

namespace slime::bench {

namespace {

constexpr std::size_t block = storage::block_parameters;

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

void checked(const Status& status) {
  if (!status) throw std::runtime_error(to_string(status.error()));
}

storage::Manifest manifest_of(storage::CheckpointId id, std::uint64_t parameters,
                              std::span<const storage::PartInfo> written) {
  return storage::Manifest::make([&](schema::CheckpointManifest::Builder root) {
    root.setTerm(id.term);
    root.setRunTerm(id.term);
    root.setIteration(id.iteration);
    storage::name_parts(root, "node", written);
    auto tensor = root.initTensors(1)[0];
    tensor.setName("weights");
    tensor.initShape(1).set(0, parameters);
  });
}

}  // namespace

ModelStore::ModelStore(std::filesystem::path directory, std::uint64_t parameters)
    : directory_(std::move(directory)),
      store_(
          checked(storage::CheckpointStore::open(directory_ / "node", storage::OpenMode::create))) {
  const std::uint64_t share = ((parameters + parts - 1) / parts + block - 1) / block * block;
  for (std::uint64_t first = 0; first < parameters; first += share)
    parts_.emplace_back(first, std::min(share, parameters - first));
}

void ModelStore::change(Model& model, std::size_t stride) {
  for (Part& part : parts_)
    for (std::size_t at = 0; at < part.count; at += block) {
      const std::size_t count = std::min<std::size_t>(block, part.count - at);
      const auto values = std::span(model.values).subspan(part.first + at, count);
      const auto momentum = std::span(model.momentum).subspan(part.first + at, count);
      const float step = (part.first + at) / block % stride == 0 ? 1 : 0;
      part.changes.watch(at / block, values, std::span(&momentum, 1), [&] {
        for (std::size_t i = 0; i < count; ++i) {
          values[i] += step;
          momentum[i] -= step;
        }
      });
    }
}

std::uint64_t ModelStore::save(const Model& model, bool knowing) {
  const storage::CheckpointId id{1, ++iteration_};
  std::vector<storage::PartInfo> written;
  std::uint64_t bytes = 0;
  for (Part& part : parts_) {
    std::optional<storage::KnownPart> known;
    if (knowing && part.saved)
      known = {part.saved->key, part.saved->checksum, part.changes.unchanged_since(part.mark)};
    const std::uint64_t mark = part.changes.mark();
    const auto slot = std::span<const float>(model.momentum).subspan(part.first, part.count);
    written.push_back(checked(store_.write_part(
        {id, iteration_, part.first}, std::span(model.values).subspan(part.first, part.count),
        std::span(&slot, 1), known)));
    part.saved = written.back();
    part.mark = mark;
    bytes += written.back().own_bytes;
  }
  checked(store_.commit(manifest_of(id, model.values.size(), written)));
  return bytes;
}

void ModelStore::prune() {
  checked(storage::prune_run(store_, {.newest = 1}, 1));
}

void ModelStore::restore(Model& model) const {
  const auto reader = checked(
      storage::CheckpointReader::open(directory_, checked(store_.manifest({1, iteration_}))));
  const std::span<float> slot(model.momentum);
  checked(reader.read(0, model.values, std::span(&slot, 1)));
}

void ModelStore::forget_cached() const {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_))
    if (entry.is_regular_file()) bench::forget_cached(entry.path());
}

}  // namespace slime::bench

#include "tools/slime/exchange/first_checkpoint.hpp"

#include <algorithm>
#include <vector>

#include "storage/checkpoint_store.hpp"
#include "storage/latest_term.hpp"

namespace slime::tools {

namespace {

/// Parameters in memory at a time, each with its slots; a part of the checkpoint has as many.
constexpr std::uint64_t part_parameters = 128 * storage::block_parameters;

using UsePart = std::function<Status(std::uint64_t first, std::span<const float> values,
                                     std::span<const std::span<const float>> slots)>;

Status for_each_part(ImportedPlanes& planes, std::uint64_t parameters, const UsePart& use) {
  std::vector<std::vector<float>> memory(planes.planes());
  for (std::uint64_t first = 0; first < parameters; first += part_parameters) {
    std::vector<std::span<const float>> slots;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      memory[i].resize(std::min(part_parameters, parameters - first));
      if (Status got = planes.read(i, memory[i]); !got) return got;
      if (i > 0) slots.push_back(memory[i]);
    }
    if (Status used = use(first, memory.front(), slots); !used) return used;
  }
  return ok();
}

storage::Manifest manifest_of(const FirstCheckpoint& checkpoint, storage::CheckpointId id,
                              schema::JobSpec::Reader job,
                              std::span<const storage::PartInfo> parts) {
  return storage::Manifest::make([&](schema::CheckpointManifest::Builder root) {
    // Iteration, epoch, samples, position and version are those of a job that has done nothing; so
    // are its shares, filters and history, which are absent, and its run, which is nobody's.
    root.setTerm(id.term);
    root.setRunTerm(id.term);
    root.setJob(job);
    root.setWallTimeUs(checkpoint.wall_time_us);
    root.setSlimeVersion(SLIME_VERSION);
    auto tensors = root.initTensors(static_cast<unsigned>(checkpoint.tensors.size()));
    for (unsigned i = 0; i < tensors.size(); ++i) {
      const trainer::TensorInfo& tensor = checkpoint.tensors[i];
      tensors[i].setName(tensor.name);
      tensors[i].setOffset(tensor.first);
      tensors[i].setShape(kj::arrayPtr(tensor.shape.data(), tensor.shape.size()));
    }
    storage::name_parts(root, checkpoint.head, parts);
  });
}

}  // namespace

Status check_numbers(ImportedPlanes planes, std::uint64_t parameters) {
  return for_each_part(planes, parameters, [](auto, auto, auto) { return ok(); });
}

Result<storage::CheckpointId> store_first_checkpoint(const FirstCheckpoint& checkpoint,
                                                     const runtime::Message<schema::JobSpec>& job,
                                                     ImportedPlanes planes) {
  auto store = storage::CheckpointStore::open(checkpoint.directory / checkpoint.head,
                                              storage::OpenMode::create);
  if (!store) return store.error();
  const storage::CheckpointId id{.term = storage::latest_term(checkpoint.directory) + 1,
                                 .iteration = 0};
  std::vector<storage::PartInfo> parts;
  const trainer::TensorInfo& last = checkpoint.tensors.back();
  const Status written =
      for_each_part(planes, last.first + last.count,
                    [&](std::uint64_t first, std::span<const float> values,
                        std::span<const std::span<const float>> slots) -> Status {
                      auto part = store->write_part(
                          {.checkpoint = id, .version = 0, .first = first}, values, slots);
                      if (!part) return part.error();
                      parts.push_back(std::move(*part));
                      return ok();
                    });
  if (!written) return written.error();
  const auto manifest = job.read(
      [&](schema::JobSpec::Reader read) { return manifest_of(checkpoint, id, read, parts); });
  if (Status committed = store->commit(manifest); !committed) return committed.error();
  return id;
}

}  // namespace slime::tools

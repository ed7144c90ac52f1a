#include "storage/checkpoint_reader.hpp"

#include <algorithm>
#include <utility>

namespace slime::storage {

namespace {

bool overlaps(schema::StoredPart::Reader part, ParameterRange range) {
  const std::uint64_t end = part.getFirst() + part.getCount();
  const bool starts_before =
      part.getFirst() < range.first || part.getFirst() - range.first < range.count;
  return starts_before && range.first < end;
}

}  // namespace

Result<CheckpointReader> CheckpointReader::open(const std::filesystem::path& directory,
                                                const Manifest& manifest, ParameterRange range) {
  return open(std::make_shared<OpenedStores>(directory), manifest, range);
}

Result<CheckpointReader> CheckpointReader::open(std::shared_ptr<OpenedStores> stores,
                                                const Manifest& manifest, ParameterRange range) {
  CheckpointReader reader;
  reader.stores_ = std::move(stores);
  const auto status = manifest.read([&](schema::CheckpointManifest::Reader root) -> Status {
    for (const auto stored : root.getParts()) {
      if (!overlaps(stored, range)) continue;
      auto part = reader.stores_->part(stored);
      if (!part) return part.error();
      if (!reader.parts_.empty() && part->record.slots != reader.slots())
        return Error{Errc::corruption, "reading part \"" + part->record.key + "\" in store " +
                                           part->store->folder().string() +
                                           ": it has another number of optimizer slots than the "
                                           "one before it"};
      reader.parts_.push_back(std::move(*part));
    }
    return ok();
  });
  if (!status) return status.error();
  return reader;
}

std::vector<PartHeader> CheckpointReader::headers() const {
  std::vector<PartHeader> headers;
  for (const auto& part : parts_) headers.push_back(part.record.header);
  return headers;
}

Status CheckpointReader::read(std::uint64_t first, std::span<float> values,
                              std::span<const std::span<float>> slots) const {
  if (!slots.empty() && slots.size() != this->slots())
    return Error{Errc::invalid_argument, "reading " + std::to_string(slots.size()) +
                                             " optimizer slots: the checkpoint has " +
                                             std::to_string(this->slots())};
  if (auto status = read_plane(0, first, values); !status) return status;
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    if (slots[i].size() != values.size())
      return Error{Errc::invalid_argument, "reading parameters: a slot has another length"};
    if (auto status = read_plane(1 + i, first, slots[i]); !status) return status;
  }
  return ok();
}

Status CheckpointReader::read_plane(std::uint32_t plane, std::uint64_t first,
                                    std::span<float> out) const {
  for (const auto& [store, record] : parts_) {
    if (out.empty()) return ok();
    if (first < record.header.first || first >= record.end()) continue;
    const std::uint64_t length = std::min<std::uint64_t>(record.end() - first, out.size());
    auto status = store->read_part(record, plane, first, out.first(length));
    if (!status) return status;
    out = out.subspan(length);
    first += length;
  }
  if (!out.empty())
    return Error{Errc::invalid_argument, "reading parameters: those from " + std::to_string(first) +
                                             " on are not in the opened "
                                             "range"};
  return ok();
}

Status CheckpointReader::verify() const {
  for (const auto& [store, record] : parts_)
    if (auto status = store->verify_part(record); !status) return status;
  return ok();
}

}  // namespace slime::storage

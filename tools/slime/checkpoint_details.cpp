#include "tools/slime/checkpoint_details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/utc_time.hpp"
#include "storage/pins.hpp"
#include "tools/slime/checkpoint_tensors.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

CheckpointDetails::Part read_part(storage::OpenedStores& stores,
                                  schema::StoredPart::Reader stored) {
  CheckpointDetails::Part part{.store = stored.getNode(),
                               .key = stored.getKey(),
                               .first = stored.getFirst(),
                               .count = stored.getCount(),
                               .bytes = stored.getBytes()};
  const auto opened = stores.part(stored);
  if (!opened) {
    part.damage = opened.error();
    return part;
  }
  part.slots = opened->record.slots;
  part.own_bytes = opened->record.own_bytes();
  part.shared_bytes = opened->record.bytes() - part.own_bytes;
  return part;
}

std::string tensors_text(const std::vector<trainer::TensorInfo>& tensors) {
  std::string text =
      fmt::format("\n{:<16} {:<16} {:>12} {:>14}\n", "tensor", "shape", "parameters", "bytes");
  for (const auto& tensor : tensors)
    text +=
        fmt::format("{:<16} {:<16} {:>12} {:>14}\n", one_line(tensor.name),
                    trainer::shape_text(tensor.shape), tensor.count, tensor.count * sizeof(float));
  return text;
}

std::string parts_text(const std::vector<CheckpointDetails::Part>& parts) {
  std::string text = fmt::format("\n{:<16} {:>12} {:>12} {:>14} {:>14} {:>14}\n", "part in store",
                                 "from", "parameters", "bytes", "own", "shared");
  for (const auto& part : parts) {
    text += fmt::format("{:<16} {:>12} {:>12} {:>14} ", one_line(part.store), part.first,
                        part.count, part.bytes);
    text += part.damage ? one_line(part.damage->context) + "\n"
                        : fmt::format("{:>14} {:>14}\n", part.own_bytes, part.shared_bytes);
  }
  return text;
}

std::string tensors_json(const std::vector<trainer::TensorInfo>& tensors) {
  std::string list;
  for (const auto& tensor : tensors)
    list += (list.empty() ? "" : ",") + JsonObject()
                                            .text("name", tensor.name)
                                            .raw("shape", trainer::shape_text(tensor.shape))
                                            .number("first", tensor.first)
                                            .number("parameters", tensor.count)
                                            .number("bytes", tensor.count * sizeof(float))
                                            .str();
  return "[" + list + "]";
}

std::string parts_json(const std::vector<CheckpointDetails::Part>& parts) {
  std::string list;
  for (const auto& part : parts) {
    JsonObject object;
    object.text("store", part.store)
        .text("key", part.key)
        .number("first", part.first)
        .number("parameters", part.count)
        .number("bytes", part.bytes);
    if (part.damage)
      object.text("reason", part.damage->context);
    else
      object.number("own_bytes", part.own_bytes).number("shared_bytes", part.shared_bytes);
    list += (list.empty() ? "" : ",") + object.str();
  }
  return "[" + list + "]";
}

}  // namespace

std::uint64_t CheckpointDetails::parameters() const {
  std::uint64_t count = 0;
  for (const Part& part : parts) count += part.count;
  return count;
}

std::uint64_t CheckpointDetails::bytes() const {
  std::uint64_t bytes = 0;
  for (const Part& part : parts) bytes += part.bytes;
  return bytes;
}

std::optional<std::uint32_t> CheckpointDetails::slots() const {
  for (const Part& part : parts)
    if (!part.damage) return part.slots;
  return std::nullopt;
}

bool CheckpointDetails::readable() const {
  return std::ranges::none_of(parts, [](const Part& part) { return part.damage.has_value(); });
}

Result<CheckpointDetails> read_details(const CheckpointChoice& choice) {
  const auto pins = storage::pinned_checkpoints(choice.stores->directory());
  if (!pins) return pins.error();
  CheckpointDetails details;
  details.id = storage::id_of(choice.manifest);
  details.pinned = pins->contains(details.id);
  details.head = choice.head;
  details.tensors = stored_tensors(choice.manifest);
  choice.manifest.read([&](schema::CheckpointManifest::Reader read) {
    details.job = read.getJob().getName();
    details.mode = read.getJob().getSync().getMode();
    details.optimizer = read.getJob().getOptimizer().getKind();
    details.epoch = read.getEpoch();
    details.samples = read.getSamples();
    details.version = read.getVersion();
    details.accuracy = read.getAccuracy();
    details.wall_time_us = read.getWallTimeUs();
    details.slime_version = read.getSlimeVersion();
    for (const auto part : read.getParts())
      details.parts.push_back(read_part(*choice.stores, part));
  });
  return details;
}

std::string details_text(const CheckpointDetails& details) {
  const auto slots = details.slots();
  std::string text = fmt::format("{}, its manifest in store {}{}\n", to_string(details.id),
                                 one_line(details.head), details.pinned ? "; pinned" : "");
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<11}{}\n", name, one_line(value));
  };
  line("job", fmt::format("\"{}\", mode {}", details.job, details.mode));
  line("taken", (details.wall_time_us == 0 ? "-" : utc_text(details.wall_time_us)) +
                    (details.slime_version.empty() ? "" : " by slime " + details.slime_version));
  line("progress", fmt::format("epoch {}, {} samples used, {} updates applied", details.epoch,
                               details.samples, details.version));
  line("accuracy",
       std::isfinite(details.accuracy) ? fmt::format("{:.4f}", details.accuracy) : "not measured");
  line("holds",
       fmt::format("{} parameters in {} tensors, {} bytes in {} parts", details.parameters(),
                   details.tensors.size(), details.bytes(), details.parts.size()));
  line("optimizer", fmt::format("{}, {} slots of each parameter", details.optimizer,
                                slots ? std::to_string(*slots) : "unknown"));
  return text + tensors_text(details.tensors) + parts_text(details.parts);
}

std::string details_json(const CheckpointDetails& details) {
  const auto slots = details.slots();
  JsonObject object;
  object.boolean("ok", details.readable())
      .number("iteration", details.id.iteration)
      .number("term", details.id.term)
      .text("store", details.head)
      .boolean("pinned", details.pinned)
      .text("job", details.job)
      .text("mode", details.mode)
      .number("epoch", details.epoch)
      .number("samples", details.samples)
      .number("version", details.version)
      .number("accuracy", details.accuracy)
      .number("wall_time_us", details.wall_time_us)
      .text("slime_version", details.slime_version)
      .number("parameters", details.parameters())
      .number("bytes", details.bytes())
      .text("optimizer", details.optimizer);
  if (slots)
    object.number("slots", *slots);
  else
    object.null("slots");
  return object.raw("tensors", tensors_json(details.tensors))
      .raw("parts", parts_json(details.parts))
      .str();
}

}  // namespace slime::tools

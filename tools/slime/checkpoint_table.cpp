#include "tools/slime/checkpoint_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

#include "runtime/base/utc_time.hpp"
#include "storage/checkpoint_audit.hpp"
#include "storage/pins.hpp"
#include "tools/slime/console.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

std::string time_text(std::int64_t us) {
  if (us == 0) return "-";
  return utc_text(us, "%Y-%m-%d %H:%M:%S");
}

double mebibytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

CheckpointRow row_of(const storage::CommittedCheckpoint& checkpoint,
                     const storage::AuditedCheckpoint& audited) {
  CheckpointRow row;
  row.iteration = checkpoint.id.iteration;
  row.term = checkpoint.id.term;
  row.store = checkpoint.head;
  row.accuracy = std::numeric_limits<double>::quiet_NaN();
  row.own_bytes = audited.own_bytes;
  row.shared_bytes = audited.shared_bytes;
  if (!audited.damage.empty()) row.damage = audited.damage.front().why;
  if (!audited.manifest) return row;
  audited.manifest->read([&row](schema::CheckpointManifest::Reader read) {
    row.epoch = read.getEpoch();
    row.samples = read.getSamples();
    row.accuracy = read.getAccuracy();
    row.parts = read.getParts().size();
    for (const auto part : read.getParts()) row.bytes += part.getBytes();
    row.wall_time_us = read.getWallTimeUs();
  });
  return row;
}

}  // namespace

Result<std::vector<CheckpointRow>> read_checkpoints(const fs::path& directory) {
  const auto stores = std::make_shared<storage::OpenedStores>(directory);
  const auto found = storage::committed_checkpoints(*stores);
  if (!found) return found.error();
  const auto pins = storage::pinned_checkpoints(directory);
  if (!pins) return pins.error();
  storage::CheckpointAudit audit(stores);
  std::vector<CheckpointRow> rows;
  for (const storage::CommittedCheckpoint& checkpoint : found->all)
    if (const auto audited = audit.beside_writers(checkpoint)) {
      rows.push_back(row_of(checkpoint, *audited));
      rows.back().pinned = pins->contains(checkpoint.id);
    }
  // Whatever else needs such a store is told as damaged.
  if (rows.empty() && !found->unreadable.empty()) return found->unreadable.front();
  if (rows.empty())
    return Error{Errc::not_found,
                 "listing the checkpoints in " + directory.string() + ": there are none"};
  return rows;
}

std::string checkpoints_text(const std::vector<CheckpointRow>& rows) {
  std::string text = fmt::format(
      "{:>9} {:>4} {:>5} {:>10} {:>8} {:>9} {:>9} {:>9} {:>5}  {:<19}  {}\n", "iteration", "term",
      "epoch", "samples", "accuracy", "MiB", "own", "shared", "parts", "taken (UTC)", "state");
  for (const CheckpointRow& row : rows)
    text += fmt::format(
        "{:>9} {:>4} {:>5} {:>10} {:>8} {:>9.1f} {:>9.1f} {:>9.1f} {:>5}  {:<19}  {}\n",
        row.iteration, row.term, row.epoch, row.samples,
        std::isfinite(row.accuracy) ? fmt::format("{:.4f}", row.accuracy) : "-",
        mebibytes(row.bytes), mebibytes(row.own_bytes), mebibytes(row.shared_bytes), row.parts,
        time_text(row.wall_time_us),
        (row.pinned ? "pinned, " : "") + (row.damage ? one_line(row.damage->context) : "valid"));
  return text;
}

std::string checkpoints_json(const std::vector<CheckpointRow>& rows) {
  std::string list;
  for (const CheckpointRow& row : rows) {
    JsonObject object;
    object.number("iteration", row.iteration)
        .number("term", row.term)
        .number("epoch", row.epoch)
        .number("samples", row.samples)
        .number("accuracy", row.accuracy)
        .number("bytes", row.bytes)
        .number("own_bytes", row.own_bytes)
        .number("shared_bytes", row.shared_bytes)
        .number("parts", row.parts)
        .text("store", row.store)
        .number("wall_time_us", row.wall_time_us)
        .boolean("pinned", row.pinned)
        .boolean("valid", !row.damage);
    if (row.damage) object.text("reason", row.damage->context);
    list += (list.empty() ? "" : ",") + object.str();
  }
  return JsonObject()
      .boolean("ok", rows.empty() || !rows.back().damage)
      .raw("checkpoints", "[" + list + "]")
      .str();
}

}  // namespace slime::tools

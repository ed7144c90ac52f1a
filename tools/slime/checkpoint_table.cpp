#include "tools/slime/checkpoint_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "runtime/base/utc_time.hpp"
#include "storage/newest_valid.hpp"
#include "storage/opened_stores.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

std::string time_text(std::int64_t us) {
  if (us == 0) return "-";
  return utc_text(us, "%Y-%m-%d %H:%M:%S");
}

CheckpointRow read_row(const std::shared_ptr<storage::OpenedStores>& stores,
                       const storage::CheckpointStore& store, storage::CheckpointId id) {
  CheckpointRow row;
  row.iteration = id.iteration;
  row.term = id.term;
  row.store = store.folder().filename();
  row.accuracy = std::numeric_limits<double>::quiet_NaN();
  const auto manifest = store.manifest(id);
  if (!manifest) {
    row.damage = manifest.error();
    return row;
  }
  manifest->read([&row](schema::CheckpointManifest::Reader read) {
    row.epoch = read.getEpoch();
    row.samples = read.getSamples();
    row.accuracy = read.getAccuracy();
    row.parts = read.getParts().size();
    for (const auto part : read.getParts()) row.bytes += part.getBytes();
    row.wall_time_us = read.getWallTimeUs();
  });
  if (const Status whole = storage::verify(stores, row.store, id); !whole)
    row.damage = whole.error();
  return row;
}

}  // namespace

Result<std::vector<CheckpointRow>> read_checkpoints(const fs::path& directory) {
  std::vector<CheckpointRow> rows;
  const auto stores = std::make_shared<storage::OpenedStores>(directory);
  // Of a store that is beyond reading; whatever needs it is told as damaged.
  std::optional<Error> damage;
  std::error_code failure;
  for (fs::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (!entry->is_directory(failure)) continue;
    const auto store = stores->of(entry->path().filename());
    if (!store && store.error().code == Errc::not_found) continue;
    if (!store) {
      damage = store.error();
      continue;
    }
    for (const storage::CheckpointId id : (*store)->list())
      rows.push_back(read_row(stores, **store, id));
  }
  const std::string what = "listing the checkpoints in " + directory.string() + ": ";
  if (failure)
    return Error{failure == std::errc::no_such_file_or_directory ? Errc::not_found : Errc::io_error,
                 what + failure.message()};
  if (rows.empty() && damage) return *damage;
  if (rows.empty()) return Error{Errc::not_found, what + "there are none"};
  std::ranges::sort(rows, {}, [](const CheckpointRow& row) {
    return storage::CheckpointId{row.term, row.iteration};
  });
  return rows;
}

std::string checkpoints_text(const std::vector<CheckpointRow>& rows) {
  std::string text =
      fmt::format("{:>9} {:>4} {:>5} {:>10} {:>8} {:>9} {:>5}  {:<19}  {}\n", "iteration", "term",
                  "epoch", "samples", "accuracy", "MiB", "parts", "taken (UTC)", "state");
  for (const CheckpointRow& row : rows)
    text += fmt::format("{:>9} {:>4} {:>5} {:>10} {:>8} {:>9.1f} {:>5}  {:<19}  {}\n",
                        row.iteration, row.term, row.epoch, row.samples,
                        std::isfinite(row.accuracy) ? fmt::format("{:.4f}", row.accuracy) : "-",
                        static_cast<double>(row.bytes) / (1 << 20), row.parts,
                        time_text(row.wall_time_us), row.damage ? row.damage->context : "valid");
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
        .number("parts", row.parts)
        .text("store", row.store)
        .number("wall_time_us", row.wall_time_us)
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

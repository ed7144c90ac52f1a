#include "tools/slime/checkpoint_verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/console.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

using Store = Verification::Store;
using Checkpoint = Verification::Checkpoint;

Store read_store(storage::OpenedStores& stores, const std::string& name) {
  const auto store = stores.of(name);
  if (!store) return {name, store.error(), {}};
  return {name, (*store)->bookkeeping_damage(), (*store)->damaged_files()};
}

Checkpoint finding(const storage::CommittedCheckpoint& name, storage::AuditedCheckpoint audited) {
  Checkpoint checkpoint{.name = name, .damage = std::move(audited.damage)};
  if (!audited.manifest) return checkpoint;
  checkpoint.parameters = storage::parameters_of(*audited.manifest);
  audited.manifest->read([&checkpoint](schema::CheckpointManifest::Reader read) {
    checkpoint.parts = read.getParts().size();
    for (const auto part : read.getParts()) checkpoint.bytes += part.getBytes();
  });
  return checkpoint;
}

/// "part KEY, block 2 of slot 0 and 3 more".
std::string place_text(const storage::Damage& damage) {
  if (damage.part.empty()) return "the manifest";
  if (!damage.block) return fmt::format("part {}", damage.part);
  const std::string plane =
      damage.block->plane == 0 ? "values" : fmt::format("slot {}", damage.block->plane - 1);
  return fmt::format("part {}, block {} of {}{}", damage.part, damage.block->block, plane,
                     damage.blocks == 1 ? "" : fmt::format(" and {} more", damage.blocks - 1));
}

std::string store_json(const Store& store) {
  std::string files;
  for (const auto& file : store.files)
    files += (files.empty() ? "" : ",") +
             JsonObject().text("file", file.name).text("reason", file.why.context).str();
  JsonObject object;
  object.text("store", store.name).boolean("whole", store.whole());
  if (store.damage) object.text("reason", store.damage->context);
  return object.raw("files", "[" + files + "]").str();
}

std::string damage_json(const storage::Damage& damage) {
  JsonObject object;
  object.text("store", damage.store).text("files", damage.files);
  if (!damage.part.empty()) object.text("part", damage.part);
  if (damage.block)
    object.number("plane", damage.block->plane)
        .number("block", damage.block->block)
        .number("blocks", damage.blocks);
  return object.text("reason", damage.why.context).str();
}

std::string checkpoint_json(const Checkpoint& checkpoint) {
  std::string damage;
  for (const auto& one : checkpoint.damage)
    damage += (damage.empty() ? "" : ",") + damage_json(one);
  return JsonObject()
      .number("iteration", checkpoint.name.id.iteration)
      .number("term", checkpoint.name.id.term)
      .text("store", checkpoint.name.head)
      .boolean("whole", checkpoint.damage.empty())
      .number("parameters", checkpoint.parameters)
      .number("parts", checkpoint.parts)
      .number("bytes", checkpoint.bytes)
      .raw("damage", "[" + damage + "]")
      .str();
}

}  // namespace

ExitCode Verification::code() const {
  std::vector<Errc> found;
  for (const Store& store : stores) {
    if (store.damage) found.push_back(store.damage->code);
    // A file that is gone is damage, too.
    for (const auto& file : store.files)
      found.push_back(file.why.code == Errc::not_found ? Errc::corruption : file.why.code);
  }
  for (const Checkpoint& checkpoint : checkpoints)
    for (const auto& damage : checkpoint.damage) found.push_back(damage.why.code);
  if (found.empty()) return ExitCode::ok;
  const bool corrupt = std::ranges::find(found, Errc::corruption) != found.end();
  return corrupt ? ExitCode::corrupt : exit_code(found.front());
}

Result<Verification> verify_all(const fs::path& directory) {
  const auto stores = std::make_shared<storage::OpenedStores>(directory);
  const auto found = storage::committed_checkpoints(*stores);
  if (!found) return found.error();
  Verification verification;
  for (const std::string& name : found->stores)
    verification.stores.push_back(read_store(*stores, name));
  storage::CheckpointAudit audit(stores);
  for (const storage::CommittedCheckpoint& name : found->all)
    if (auto audited = audit.beside_writers(name))
      verification.checkpoints.push_back(finding(name, std::move(*audited)));
  if (verification.checkpoints.empty() && verification.code() == ExitCode::ok)
    return Error{Errc::not_found,
                 "verifying the checkpoints in " + directory.string() + ": there are none"};
  return verification;
}

Result<Verification> verify_one(const fs::path& directory, std::string_view which) {
  const auto stores = std::make_shared<storage::OpenedStores>(directory);
  const auto name = find_checkpoint(*stores, which);
  if (!name) return name.error();
  auto audited = storage::CheckpointAudit(stores).beside_writers(*name);
  if (!audited)
    return Error{Errc::not_found, "verifying " + to_string(name->id) + " in " + directory.string() +
                                      ": the job dropped it meanwhile"};
  Verification verification;
  verification.checkpoints.push_back(finding(*name, std::move(*audited)));
  return verification;
}

std::string verification_text(const Verification& verification) {
  std::string text;
  const auto line = [&text](const std::string& words) { text += one_line(words) + "\n"; };
  for (const Store& store : verification.stores) {
    line(fmt::format("store {}: {}", store.name, store.whole() ? "whole" : "damaged"));
    if (store.damage) line("  " + store.damage->context);
    for (const auto& file : store.files)
      line(fmt::format("  file {}: {}", file.name, file.why.context));
  }
  for (const Checkpoint& checkpoint : verification.checkpoints) {
    line(to_string(checkpoint.name.id) + ": " +
         (checkpoint.damage.empty()
              ? fmt::format("whole, {} parameters in {} parts, {} bytes", checkpoint.parameters,
                            checkpoint.parts, checkpoint.bytes)
              : "damaged"));
    for (const auto& damage : checkpoint.damage)
      line(fmt::format("  store {}{}, {}: {}", damage.store,
                       damage.files.empty() ? "" : ", file " + damage.files, place_text(damage),
                       damage.why.context));
  }
  return text;
}

std::string verification_json(const Verification& verification) {
  std::string stores, checkpoints;
  for (const Store& store : verification.stores)
    stores += (stores.empty() ? "" : ",") + store_json(store);
  for (const Checkpoint& checkpoint : verification.checkpoints)
    checkpoints += (checkpoints.empty() ? "" : ",") + checkpoint_json(checkpoint);
  return JsonObject()
      .boolean("ok", verification.code() == ExitCode::ok)
      .raw("stores", "[" + stores + "]")
      .raw("checkpoints", "[" + checkpoints + "]")
      .str();
}

}  // namespace slime::tools

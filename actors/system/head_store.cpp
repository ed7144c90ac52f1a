#include "actors/system/head_store.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "runtime/wire/address.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/head.capnp.h"
#include "storage/checksum.hpp"

namespace slime::actors {

using runtime::Message;

namespace {

constexpr const char* identity_key = "identity";
/// Nothing that a system actor keeps begins so.
constexpr const char* actor_prefix = "actor/";

Error annotated(const std::filesystem::path& folder, const Error& why) {
  return {why.code, "opening the head's state in " + folder.string() + ": " + why.context};
}

/// The token is in there.
Status make_private(const std::filesystem::path& folder) {
  std::error_code failure;
  if (std::filesystem::exists(folder, failure) && !std::filesystem::is_empty(folder, failure) &&
      !std::filesystem::exists(folder / "FORMAT", failure))
    return Error{Errc::already_exists,
                 "the folder holds other files; name a new one, or one that is empty"};
  std::filesystem::create_directories(folder, failure);
  if (!failure) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
  if (failure) return Error{Errc::io_error, failure.message()};
  return ok();
}

}  // namespace

Result<std::unique_ptr<HeadStore>> HeadStore::open(const std::filesystem::path& folder,
                                                   NodeId fresh, std::int64_t now_us) {
  if (const Status made = make_private(folder); !made) return annotated(folder, made.error());
  auto database = storage::Database::open(folder, storage::OpenMode::create);
  if (!database) return annotated(folder, database.error());
  std::unique_ptr<HeadStore> store(new HeadStore(std::move(*database)));
  if (const Status begun = store->begin(fresh, now_us); !begun)
    return annotated(folder, begun.error());
  return store;
}

HeadStore::HeadStore(std::unique_ptr<storage::Database> database)
    : database_(std::move(database)) {}

Status HeadStore::begin(NodeId fresh, std::int64_t now_us) {
  identity_.node = fresh;
  // All of it, so that damage is met here and not by an actor that others rely on already.
  const Status visited = visit("", [this](std::string_view key, const runtime::Words& words) {
    if (key != identity_key) return;
    found_ = true;
    Message<schema::KeptHead>::adopt(words).read([this](schema::KeptHead::Reader kept) {
      identity_.node = runtime::read_node(kept.getNode());
      identity_.incarnation = kept.getIncarnation();
      identity_.token = kept.getToken();
      for (const auto endpoint : kept.getEndpoints())
        identity_.endpoints.emplace_back(endpoint.cStr());
    });
  });
  if (!visited) return visited;
  identity_.incarnation = std::max(identity_.incarnation + 1,
                                   static_cast<std::uint64_t>(std::max<std::int64_t>(now_us, 1)));
  return keep_identity();
}

Status HeadStore::remember(std::string token, std::vector<std::string> endpoints) {
  identity_.token = std::move(token);
  identity_.endpoints = std::move(endpoints);
  return keep_identity();
}

Status HeadStore::keep_identity() {
  const auto kept = Message<schema::KeptHead>::make([this](schema::KeptHead::Builder root) {
    runtime::write_node(root.initNode(), identity_.node);
    root.setIncarnation(identity_.incarnation);
    root.setToken(identity_.token);
    auto endpoints = root.initEndpoints(static_cast<unsigned>(identity_.endpoints.size()));
    for (unsigned i = 0; i < endpoints.size(); ++i) endpoints.set(i, identity_.endpoints[i]);
  });
  const KeptChange change{identity_key, kept.words()};
  return write({&change, 1});
}

Status HeadStore::write(std::span<const KeptChange> changes) {
  storage::Batch batch;
  for (const auto& [key, state] : changes) {
    if (state)
      batch.put(storage::Table::states, key, storage::seal(*state));
    else
      batch.remove(storage::Table::states, key);
  }
  const std::lock_guard lock(mutex_);
  return told(database_->write(batch));
}

Status HeadStore::told(const Status& written) const {
  if (written) return ok();
  const Error why{written.error().code, "keeping the head's state: " + written.error().context};
  if (failed_) failed_(why);
  return why;
}

Status HeadStore::put(std::span<const storage::StateChange> changes) {
  std::vector<storage::StateChange> apart(changes.begin(), changes.end());
  for (storage::StateChange& change : apart) change.name = actor_prefix + change.name;
  const std::lock_guard lock(mutex_);
  return told(storage::ActorStates(*database_).put(apart));
}

Result<storage::StoredState> HeadStore::get(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return storage::ActorStates(*database_).get(actor_prefix + std::string(name));
}

Status HeadStore::visit(
    std::string_view prefix,
    const std::function<void(std::string_view key, const runtime::Words& state)>& use) const {
  const std::lock_guard lock(mutex_);
  return database_->visit(
      storage::Table::states, prefix, [&](std::string_view key, std::string_view value) -> Status {
        const auto words = storage::unseal(std::as_bytes(std::span(value)));
        if (!words)
          return Error{Errc::corruption,
                       "reading " + std::string(key) + " of the head's state in " +
                           database_->folder().string() + ": " + words.error().context};
        use(key, *words);
        return ok();
      });
}

}  // namespace slime::actors

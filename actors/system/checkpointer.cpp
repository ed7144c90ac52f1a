#include "actors/system/checkpointer.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "storage/checkpoint_reader.hpp"
#include "storage/checkpoint_selection.hpp"
#include "storage/chosen_valid.hpp"
#include "storage/latest_term.hpp"
#include "storage/newest_valid.hpp"
#include "storage/pruning.hpp"
#include "storage/surviving_parts.hpp"

namespace slime::actors {

using runtime::as_floats;

namespace {

// Checkpoints that are named where a store was repaired.
constexpr std::size_t told_max = 10;
// No list in a message is longer.
constexpr std::uint64_t range_max = (std::uint64_t{1} << 29) / sizeof(float) - 1;

std::vector<storage::CheckpointId> ids_in(capnp::List<schema::CheckpointId>::Reader list) {
  std::vector<storage::CheckpointId> ids;
  for (const auto id : list) ids.push_back({id.getTerm(), id.getIteration()});
  return ids;
}

std::vector<storage::CheckpointId> checkpoints_in(const std::filesystem::path& folder) {
  const auto store = storage::CheckpointStore::open(folder, storage::OpenMode::read_only);
  return store ? store->list() : std::vector<storage::CheckpointId>();
}

// For people; the newest are what they may still want.
std::string listed(const std::vector<storage::CheckpointId>& ids) {
  const std::size_t older = ids.size() - std::min(ids.size(), told_max);
  std::string text = older > 0 ? std::to_string(older) + " older ones" : "";
  for (std::size_t i = older; i < ids.size(); ++i)
    text += (text.empty() ? "" : ", ") + to_string(ids[i]);
  return text;
}

/// What the shard says of the part that it wrote before, if anything.
std::optional<storage::KnownPart> known_in(schema::WritePart::Reader request) {
  if (request.getBaseKey().size() == 0) return std::nullopt;
  storage::KnownPart known{request.getBaseKey().cStr(), request.getBaseChecksum(), {}};
  for (const bool unchanged : request.getUnchanged()) known.unchanged.push_back(unchanged);
  return known;
}

std::span<float> floats_of(capnp::Data::Builder data) {
  return {reinterpret_cast<float*>(data.begin()), data.size() / sizeof(float)};
}

void write_failure(schema::Failure::Builder failure, const Error& error) {
  failure.setCode(static_cast<std::uint8_t>(error.code));
  failure.setContext(error.context);
}

void write_skipped(capnp::List<capnp::Text>::Builder texts, const storage::ValidCheckpoint& found) {
  for (unsigned i = 0; i < texts.size(); ++i)
    texts.set(i, to_string(found.skipped[i].id) + ": " + found.skipped[i].why.context);
}

}  // namespace

CheckpointerActor::CheckpointerActor(runtime::Host& host,
                                     const Message<schema::CheckpointerSpec>& spec)
    : Actor(host) {
  on(&CheckpointerActor::open_store);
  on(&CheckpointerActor::write_part);
  on(&CheckpointerActor::read_range);
  on(&CheckpointerActor::commit);
  on(&CheckpointerActor::load_newest);
  on(&CheckpointerActor::load_chosen);
  on(&CheckpointerActor::drop_old);
  spec.read([this](schema::CheckpointerSpec::Reader read) {
    directory_ = read.getDirectory().cStr();
    node_ = read.getNode().cStr();
  });
}

std::filesystem::path CheckpointerActor::directory_or_own(capnp::Text::Reader directory) const {
  return directory.size() == 0 ? directory_ : std::filesystem::path(directory.cStr());
}

Result<storage::CheckpointStore*> CheckpointerActor::store() {
  if (store_) return &*store_;
  const auto folder = directory_ / node_;
  auto opened = storage::CheckpointStore::open(folder, storage::OpenMode::create);
  if (!opened && opened.error().code == Errc::corruption) {
    repaired_ = opened.error().context;
    const auto before = checkpoints_in(folder);
    if (Status repaired = storage::Database::repair(folder); !repaired) return repaired.error();
    const auto after = checkpoints_in(folder);
    std::vector<storage::CheckpointId> lost;
    std::ranges::copy_if(before, std::back_inserter(lost),
                         [&after](auto id) { return !std::ranges::count(after, id); });
    const auto parts = storage::surviving_parts(directory_, node_);
    if (!lost.empty()) repaired_ += "; lost: " + listed(lost);
    if (!parts.incomplete.empty())
      repaired_ += "; no longer complete, for parts in it are lost: " + listed(parts.incomplete);
    if (!parts.whole.empty()) repaired_ += "; whole in it: " + listed(parts.whole);
    opened = storage::CheckpointStore::open(folder, storage::OpenMode::read_write);
  }
  if (!opened) return opened.error();
  store_.emplace(std::move(opened).value());
  return &*store_;
}

void CheckpointerActor::open_store(const Message<schema::OpenStore>& request,
                                   Reply<schema::StoreOpened> reply) {
  const auto open = store();
  if (!open) return reply.fail(open.error());
  const std::uint64_t term = request.read([](auto read) { return read.getTerm(); });
  if (const Status fenced = fence(**open, term); !fenced) return reply.fail(fenced.error());
  reply.send(
      Message<schema::StoreOpened>::make([this](auto root) { root.setRepaired(repaired_); }));
}

void CheckpointerActor::write_part(const Message<schema::WritePart>& request,
                                   Reply<schema::PartWritten> reply) {
  const auto open = store();
  if (!open) return reply.fail(open.error());
  request.read([&](schema::WritePart::Reader read) {
    std::vector<std::span<const float>> slots;
    for (const auto slot : read.getSlots()) slots.push_back(as_floats(slot));
    const auto written = (*open)->write_part({.checkpoint = {read.getTerm(), read.getCheckpoint()},
                                              .version = read.getVersion(),
                                              .first = read.getFirst()},
                                             as_floats(read.getValues()), slots, known_in(read));
    if (!written) return reply.fail(written.error());
    reply.send(Message<schema::PartWritten>::make([&](schema::PartWritten::Builder root) {
      storage::name_part(root.initPart(), node_, *written);
    }));
  });
}

void CheckpointerActor::read_range(const Message<schema::ReadRange>& request,
                                   Reply<schema::RangeRead> reply) {
  request.read([&](schema::ReadRange::Reader read) {
    const auto manifest = storage::Manifest::copy(read.getManifest());
    if (read.getCount() > std::min(storage::parameters_of(manifest), range_max))
      return reply.fail({Errc::invalid_argument,
                         "reading " + std::to_string(read.getCount()) +
                             " parameters: the checkpoint has fewer, or a message cannot hold them"
                             "; more shards hold fewer each"});
    const auto reader =
        storage::CheckpointReader::open(directory_or_own(read.getDirectory()), manifest,
                                        {.first = read.getFirst(), .count = read.getCount()});
    if (!reader) return reply.fail(reader.error());
    // Into the answer itself: a range may be as large as half of the memory.
    Status status = ok();
    const auto answer = Message<schema::RangeRead>::make(
        [&](schema::RangeRead::Builder root) {
          const auto bytes = static_cast<unsigned>(read.getCount() * sizeof(float));
          const auto values = floats_of(root.initValues(bytes));
          auto list = root.initSlots(reader->slots());
          std::vector<std::span<float>> slots;
          for (unsigned i = 0; i < list.size(); ++i)
            slots.push_back(floats_of(list.init(i, bytes)));
          status = reader->read(read.getFirst(), values, slots);
        },
        read.getCount() * (1 + reader->slots()) / 2 + 64);
    if (!status) return reply.fail(status.error());
    reply.send(answer);
  });
}

void CheckpointerActor::commit(const Message<schema::CommitCheckpoint>& request,
                               Reply<schema::CheckpointCommitted> reply) {
  const auto open = store();
  if (!open) return reply.fail(open.error());
  request.read([&](schema::CommitCheckpoint::Reader read) {
    const auto manifest = storage::Manifest::copy(read.getManifest());
    const Status committed = (*open)->commit(manifest);
    if (!committed) return reply.fail(committed.error());
    const storage::RetentionRules rules{
        .newest = read.getKeep(), .best = read.getKeepBest(), .every = read.getKeepEvery()};
    const auto kept = storage::prune_run(**open, rules, storage::run_of(manifest));
    reply.send(Message<schema::CheckpointCommitted>::make([&](auto root) {
      if (!kept) return write_failure(root.initPruning(), kept.error());
      auto list = root.initKept(static_cast<unsigned>(kept->size()));
      for (unsigned i = 0; i < list.size(); ++i) {
        list[i].setTerm((*kept)[i].term);
        list[i].setIteration((*kept)[i].iteration);
      }
    }));
  });
}

Status CheckpointerActor::fence(storage::CheckpointStore& store, std::uint64_t term) {
  const Status fenced = store.fence(term);
  if (fenced || fenced.error().code != Errc::io_error) return fenced;
  // A full disk is not to keep a job from what it can still read.
  log(runtime::LogLevel::warning,
      "earlier terms than " + std::to_string(term) +
          " are refused only until this checkpointer ends: " + fenced.error().context);
  return ok();
}

Result<std::uint64_t> CheckpointerActor::take_over(schema::LoadNewest::Reader request) {
  std::uint64_t latest = std::max(request.getReached(), storage::latest_term(directory_));
  if (request.getCopyTo().size() > 0)
    latest = std::max(latest, storage::latest_term(request.getCopyTo().cStr()));
  if (!request.getTakeOver()) return latest;
  const auto open = store();
  if (!open) return open.error();
  if (const Status fenced = fence(**open, latest + 1); !fenced) return fenced.error();
  return latest;
}

void CheckpointerActor::load_newest(const Message<schema::LoadNewest>& request,
                                    Reply<schema::NewestLoaded> reply) {
  // First, so that nothing is committed after what is read.
  const auto latest = request.read([this](auto read) { return take_over(read); });
  if (!latest) return reply.fail(latest.error());
  auto newest = storage::newest_valid(directory_, node_);
  // What a repair could not keep was there all the same.
  if (!newest && newest.error().code == Errc::not_found && !repaired_.empty())
    newest = Error{Errc::corruption, newest.error().context + " after its repair: " + repaired_};
  reply.send(Message<schema::NewestLoaded>::make([&](schema::NewestLoaded::Builder root) {
    root.setLatestTerm(*latest);
    if (!newest) {
      write_failure(root.initFailure(), newest.error());
      return;
    }
    newest->manifest.read([&](auto manifest) { root.setManifest(manifest); });
    write_skipped(root.initSkipped(static_cast<unsigned>(newest->skipped.size())), *newest);
  }));
}

void CheckpointerActor::load_chosen(const Message<schema::LoadChosen>& request,
                                    Reply<schema::ChosenLoaded> reply) {
  auto chosen = request.read([this](schema::LoadChosen::Reader read) {
    return storage::chosen_valid(directory_or_own(read.getChoice().getDirectory()),
                                 storage::selector_of(read.getChoice()));
  });
  // What a repair could not keep was there all the same.
  if (!chosen && chosen.error().code == Errc::not_found && !repaired_.empty())
    chosen = Error{Errc::corruption, chosen.error().context + ", after a repair: " + repaired_};
  if (!chosen) return reply.fail(chosen.error());
  reply.send(Message<schema::ChosenLoaded>::make([&](schema::ChosenLoaded::Builder root) {
    chosen->manifest.read([&](auto manifest) { root.setManifest(manifest); });
    write_skipped(root.initSkipped(static_cast<unsigned>(chosen->skipped.size())), *chosen);
  }));
}

void CheckpointerActor::drop_old(const Message<schema::DropOld>& request) {
  // Nothing written here yet: there is nothing to drop, and no reason to open the store.
  if (!store_) return;
  const std::uint64_t term = request.read([](auto read) { return read.getTerm(); });
  if (term < store_->fenced_term())
    return log(runtime::LogLevel::warning, "what a coordinator of term " + std::to_string(term) +
                                               " wants removed stays: one of term " +
                                               std::to_string(store_->fenced_term()) +
                                               " has taken the store over");
  const auto kept = request.read([](auto read) { return ids_in(read.getKeep()); });
  if (const Status dropped = store_->retain(kept); !dropped)
    log(runtime::LogLevel::warning, "old checkpoints stay: " + dropped.error().context);
}

}  // namespace slime::actors

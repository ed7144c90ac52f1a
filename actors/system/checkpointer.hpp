#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/actor/actor.hpp"
#include "schemas/checkpointing.capnp.h"
#include "storage/checkpoint_store.hpp"

namespace slime::actors {

/// Alone writes its node's store; on the head it also keeps the manifests.
using CheckpointerProtocol =
    runtime::Protocol<runtime::Ask<schema::OpenStore, schema::StoreOpened>,
                      runtime::Ask<schema::WritePart, schema::PartWritten>,
                      runtime::Ask<schema::ReadRange, schema::RangeRead>,
                      runtime::Ask<schema::CommitCheckpoint, schema::CheckpointCommitted>,
                      runtime::Ask<schema::LoadNewest, schema::NewestLoaded>,
                      runtime::Ask<schema::LoadChosen, schema::ChosenLoaded>,
                      runtime::Tell<schema::DropOld>>;
using Checkpointer = runtime::Ref<CheckpointerProtocol>;

/// Keeps a job's checkpoints in `<directory>/<node>/`. Opens that store when it is told to, or
/// first has to write, and holds it until it ends. A damaged store is repaired first: a job that
/// resumes from what is whole has given up the rest, and is to save again. What an earlier
/// coordinator than the one that took the store over still wants written or removed is refused.
/// Every turn may wait for the disk, so it has a thread of its own.
class CheckpointerActor : public runtime::Actor<CheckpointerProtocol> {
 public:
  CheckpointerActor(runtime::Host& host, const runtime::Message<schema::CheckpointerSpec>& spec);

 private:
  template <class T>
  using Message = runtime::Message<T>;
  template <class T>
  using Reply = runtime::Reply<T>;

  void open_store(const Message<schema::OpenStore>& request, Reply<schema::StoreOpened> reply);
  void write_part(const Message<schema::WritePart>& request, Reply<schema::PartWritten> reply);
  void read_range(const Message<schema::ReadRange>& request, Reply<schema::RangeRead> reply);
  void commit(const Message<schema::CommitCheckpoint>& request,
              Reply<schema::CheckpointCommitted> reply);
  void load_newest(const Message<schema::LoadNewest>& request, Reply<schema::NewestLoaded> reply);
  void load_chosen(const Message<schema::LoadChosen>& request, Reply<schema::ChosenLoaded> reply);
  void drop_old(const Message<schema::DropOld>& request);

  Result<storage::CheckpointStore*> store();
  /// Refuses earlier terms from now on. Errors: stale.
  Status fence(storage::CheckpointStore& store, std::uint64_t term);
  /// Fences the store off from whoever came before, if it is asked to, and returns the latest term.
  Result<std::uint64_t> take_over(schema::LoadNewest::Reader request);
  std::filesystem::path directory_or_own(capnp::Text::Reader directory) const;

  std::filesystem::path directory_;
  std::string node_;
  std::optional<storage::CheckpointStore> store_;
  std::string repaired_;  ///< What was damaged in it.
};

}  // namespace slime::actors

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/actor/actor.hpp"
#include "schemas/checkpointing.capnp.h"
#include "storage/checkpoint_copy.hpp"

namespace slime::actors {

/// Alone writes a job's second place, and only while it copies.
using CheckpointCopierProtocol =
    runtime::Protocol<runtime::Ask<schema::CopyCheckpoint, schema::CheckpointCopied>>;
using CheckpointCopier = runtime::Ref<CheckpointCopierProtocol>;

/// Copies committed checkpoints of a job into one store, `<copy_to>/<head>/`, a few megabytes a
/// turn, so that its end never waits for a whole copy. Reads the job's own stores and changes
/// nothing there, so neither training nor the next checkpoint waits for it. A copy that it did not
/// finish is gone on with by the next one. Every turn may wait for the disk, so it has a thread of
/// its own.
class CheckpointCopierActor : public runtime::Actor<CheckpointCopierProtocol> {
 public:
  CheckpointCopierActor(runtime::Host& host, const runtime::Message<schema::CopierSpec>& spec);

 private:
  template <class T>
  using Message = runtime::Message<T>;
  using Reply = runtime::Reply<schema::CheckpointCopied>;

  /// The copy under way and who waits for it.
  struct Round {
    Message<schema::CopyCheckpoint> request;
    std::vector<Reply> replies;
    std::optional<storage::CheckpointStore> destination;
    std::optional<storage::CheckpointCopying> copying;  // Of what `destination` holds.
  };

  void copy(const Message<schema::CopyCheckpoint>& request, Reply reply);
  Status begin();
  Status check_place() const;
  /// Errors: stale.
  Status take_over(storage::CheckpointId id);
  void go_on();
  void finish();
  void fail(const Error& error);
  /// What a running job removes meanwhile looks like damage.
  Error explained(const Error& error) const;

  std::filesystem::path directory_, copy_to_;
  std::string node_;
  std::optional<Round> round_;
  bool copied_ = false;  ///< Something, before.
};

}  // namespace slime::actors

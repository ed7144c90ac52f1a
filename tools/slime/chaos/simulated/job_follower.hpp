#pragma once

#include <functional>
#include <optional>
#include <string>

#include "actors/training/protocols.hpp"
#include "tools/slime/chaos/directory_history.hpp"
#include "tools/slime/chaos/run_trace.hpp"
#include "tools/slime/chaos/simulated/stage.hpp"

namespace slime::tools {

/// Follows a simulated job from outside, as `slime train` does a real one: looks into the
/// directory, asks the job's coordinator how it is, and takes what it tells of its record. Asks one
/// thing at a time, and never waits. Confined to one thread; the stage must outlive it and must not
/// take another step once it is gone.
class JobFollower {
 public:
  /// @param trace  Gets what is told; must outlive it, as must `directory`.
  JobFollower(Stage& stage, const std::string& job, RunTrace& trace, DirectoryHistory& directory);

  /// The job's record begins. @param resume  The job was to go on from a checkpoint.
  void begin(bool resume);
  /// Looks, unless it still waits for what it asked before.
  void look();

  /// How the job ended; nothing while it goes on. Its record is told by then.
  const std::optional<schema::JobState>& end() const { return end_; }
  /// Why it failed, and else what happened last.
  const std::string& last_words() const { return last_words_; }
  /// What a rollback blamed on updates that shards said to have and did not.
  const std::optional<std::string>& lost_update() const { return lost_update_; }

 private:
  using Message = runtime::AnyMessage;

  template <class P, class Q>
  void ask(const runtime::Ref<P>& to, const runtime::Message<Q>& question,
           std::function<void(const Message&)> done);
  void listed(const Message& answer);
  void ask_progress();
  void told(const Message& answer);
  void ask_record();
  void recorded(const Message& answer);
  void ended(schema::Progress::Reader progress);
  void line(const std::function<void(schema::RecordLine::Builder)>& fill);

  Stage& stage_;
  std::string name_;  ///< Of the coordinator.
  RunTrace& trace_;
  DirectoryHistory& directory_;
  bool asking_ = false;
  actors::Coordinator coordinator_;
  ActorAddress recorded_;  ///< Whose record was told.
  std::uint64_t next_entry_ = 0;
  std::uint64_t next_event_ = 0;
  runtime::Message<schema::Progress> progress_;
  std::optional<schema::JobState> end_;
  std::string last_words_;
  std::optional<std::string> lost_update_;
};

}  // namespace slime::tools

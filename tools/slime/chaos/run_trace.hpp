#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/record.capnp.h"
#include "trainer/data/work_plan.hpp"

namespace slime::tools {

/// Whether the record accounts for every sample of every iteration, by the groups that workers
/// sealed and no rollback threw away. Samples are counted, not told apart: a record names none.
struct SampleAccount {
  std::uint64_t exact = 0;   ///< Iterations whose groups hold their samples, each once.
  std::uint64_t untold = 0;  ///< Before a checkpoint, with entries that were lost with a command.
  std::vector<std::string> wrong;  ///< One line for each other iteration, the first few.
  std::uint64_t wrong_count = 0;
};

/// How the last command said that the job ended.
struct TraceEnd {
  bool finished = false;
  std::string reason;  ///< Why it failed.
  std::uint64_t iterations = 0;
  std::uint64_t samples = 0;
  std::string parameters_sha256;
};

/// What the records of one job tell, those of each command after those of the one before, entry by
/// entry. Pure; believes the entries and checks that they fit each other. Confined to one thread.
class RunTrace {
 public:
  /// @param committed  The job's mode commits iterations as a whole: what a worker sealed and did
  /// not
  ///                   push before it died is then computed and sealed anew.
  RunTrace(const trainer::WorkPlan& plan, bool committed);

  void add(schema::RecordLine::Reader line);

  /// Lines that were added.
  std::uint64_t lines() const { return lines_; }
  /// Groups that were sealed, whatever became of them.
  std::uint64_t seals() const { return seals_; }
  /// All iterations before this one are applied, and none of that is taken back.
  std::uint64_t frontier() const { return frontier_; }
  /// All iterations before this one were applied at some time.
  std::uint64_t reached() const { return reached_; }
  std::uint64_t rollbacks() const { return rollbacks_; }
  std::uint64_t resumes() const { return resumes_; }
  /// Iterations done again, as the rollbacks stated.
  std::uint64_t lost_iterations() const { return lost_iterations_; }
  /// Iterations of the checkpoints that were told to be committed, in that order.
  const std::vector<std::uint64_t>& checkpoints() const { return checkpoints_; }
  /// Steps back that no entry states, or that go behind the newest checkpoint: a line each.
  const std::vector<std::string>& broken_promises() const { return broken_; }
  /// Of the latest command; none: it was killed, or still runs.
  const std::optional<TraceEnd>& end() const { return end_; }
  /// Of the iterations before that one.
  SampleAccount account(std::uint64_t before) const;

 private:
  /// What the next start of training follows from.
  enum class Start : std::uint8_t { first, unforeseen, rollback, resume };
  struct Tally {
    std::uint64_t sealed = 0;
    /// Of these, by workers that died while the iteration was open, or before a standby took over.
    std::uint64_t perhaps = 0;
    bool untold = false;
  };

  void take_header(schema::RecordHeader::Reader header);
  void take_entry(schema::RecordEntry::Reader entry);
  void take_start(schema::TermStart::Reader start);
  void take_over(std::uint64_t at);
  void take_group(schema::GroupSeal::Reader group);
  void take_gone(std::uint32_t worker);
  void take_rollback(schema::RollbackEntry::Reader back);
  void take_end(schema::RecordEnd::Reader end);
  std::uint64_t newest_checkpoint() const { return checkpoints_.empty() ? 0 : checkpoints_.back(); }
  void forget_from(std::uint64_t iteration);
  /// Another coordinator has taken over there. What was told of later iterations may hold or not.
  void doubt_from(std::uint64_t iteration);
  /// Of iterations before `iteration`, what is missing was lost with a command.
  void excuse_before(std::uint64_t iteration);
  void advance(std::uint64_t iteration);

  trainer::WorkPlan plan_;
  bool committed_;
  std::vector<Tally> tallies_;  ///< By iteration.
  /// In committed modes: samples in the iteration under way, by worker.
  std::map<std::uint32_t, std::uint64_t> open_;
  std::uint64_t open_iteration_ = 0;
  std::uint64_t lead_ = 0;  ///< The largest that a group had.
  std::uint64_t lines_ = 0;
  std::uint64_t seals_ = 0;
  std::uint64_t frontier_ = 0;  ///< Of the present attempt.
  std::uint64_t reached_ = 0;
  std::uint64_t rollbacks_ = 0;
  std::uint64_t resumes_ = 0;
  std::uint64_t lost_iterations_ = 0;
  std::uint64_t rolled_back_to_ = 0;
  Start expected_ = Start::first;
  bool begun_ = false;
  bool hole_ = false;                   ///< Entries are missing just here.
  bool lost_since_checkpoint_ = false;  ///< Or somewhere after the newest that was told.
  std::vector<std::uint64_t> checkpoints_;
  std::vector<std::string> broken_;
  std::optional<TraceEnd> end_;
};

}  // namespace slime::tools

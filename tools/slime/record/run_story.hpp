#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/wire/message.hpp"
#include "schemas/record.capnp.h"
#include "tools/slime/run_result.hpp"

namespace slime::tools {

/// A group that a worker sealed, or neighbouring ones; all seconds are run time, see
/// `schema::GroupSeal`.
struct GroupMark {
  std::uint32_t lead = 0;
  float compute_s = 0, fetch_s = 0, push_s = 0, wait_s = 0;
  double run_s = 0;  ///< When it was sealed.
};
/// Takes the time of both, and the greater lead.
GroupMark join(const GroupMark& earlier, const GroupMark& later);

struct ShareMark {
  std::uint32_t worker = 0;
  std::uint32_t blocks = 0;
  bool measured = false;
  float fixed_s = 0, sample_s = 0, noise = 0;
};
struct DecisionMark {
  double run_s = 0;
  std::uint64_t iteration = 0;
  std::vector<ShareMark> workers;
};
/// The one that holds from then on.
DecisionMark join(const DecisionMark& earlier, const DecisionMark& later);

struct EvaluationMark {
  double run_s = 0;
  std::uint64_t samples = 0;
  double accuracy = 0;
};
/// The later one: between two of a thousand a curve has no corner that could be seen.
EvaluationMark join(const EvaluationMark& earlier, const EvaluationMark& later);

/// What happened seldom, or the last of neighbours of one kind.
struct Incident {
  enum class Kind : std::uint8_t { started, joined, gone, rolled_back, checkpoint, gap };
  static constexpr std::size_t kinds = 6;
  static constexpr std::size_t text_bytes_max = 400;

  Kind kind = Kind::started;
  double run_s = 0;
  std::string text;          ///< For people; may hold anything.
  std::uint64_t number = 0;  ///< Of the run's incidents, from 0, in the order of the record.
  std::uint64_t joined = 1;  ///< Incidents that it stands for.
};
Incident join(const Incident& earlier, const Incident& later);

/// What the entries add up to, all of them.
struct RunTotals {
  struct Worker {
    std::uint64_t samples = 0;
    double busy_s = 0;  ///< With groups that were refused, too.
  };
  std::vector<Worker> workers;  ///< By id.
  std::uint64_t groups = 0;     ///< Without those that were refused.
  double leads = 0;             ///< Of the groups.
  std::uint32_t lead_max = 0;
  std::uint64_t iterations = 0;  ///< Applied, as far as the entries tell.
  std::uint64_t decisions = 0;
  std::uint64_t deaths = 0;  ///< Of workers.
  std::uint64_t rollbacks = 0;
  std::optional<double> accuracy;   ///< The last one.
  TargetTimes seconds_to_accuracy;  ///< Of the job's targets.
};

/// A record file that was looked through: every number in it can be drawn, and only texts may hold
/// anything. Plain data.
struct RunStory {
  std::string file;
  runtime::Message<schema::RecordHeader> header;
  std::uint32_t workers = 0;
  RunTotals totals;
  bool thinned = false;  ///< There was no room for all marks: neighbours were joined.
  std::vector<std::vector<GroupMark>> groups;  ///< Of each worker, by id.
  std::vector<DecisionMark> decisions;
  std::vector<EvaluationMark> evaluations;
  std::vector<Incident> incidents;  ///< In the order of the record.
  /// Absent: the command was killed, or still goes on.
  std::optional<runtime::Message<schema::RecordEnd>> end;
  double run_s = 0;           ///< The latest there is.
  std::uint64_t lost = 0;     ///< Entries that were forgotten before anybody asked.
  bool lost_more = false;     ///< And nobody knows how many.
  std::uint64_t unknown = 0;  ///< Lines of a later version.
  bool cut = false;           ///< The last line is not whole.
};

std::string_view to_string(Incident::Kind kind);

}  // namespace slime::tools

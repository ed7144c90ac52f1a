#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/wire/message.hpp"
#include "schemas/record.capnp.h"

namespace slime::tools {

/// A group that a worker sealed; all seconds are run time, see `schema::GroupSeal`.
struct GroupMark {
  std::uint32_t worker = 0;
  std::uint32_t samples = 0;  ///< 0: it was refused.
  std::uint64_t iteration = 0;
  std::uint32_t lead = 0;
  float compute_s = 0, fetch_s = 0, push_s = 0, wait_s = 0;
  double run_s = 0;  ///< When it was sealed.
};

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

struct EvaluationMark {
  double run_s = 0;
  std::uint64_t iteration = 0;
  std::uint64_t samples = 0;
  double accuracy = 0;
  double loss = 0;  ///< May be anything.
};

/// What happened seldom.
struct Incident {
  enum class Kind : std::uint8_t { started, joined, gone, rolled_back, checkpoint, gap };
  Kind kind = Kind::started;
  double run_s = 0;
  std::string text;  ///< For people; may hold anything.
};

/// A record file that was looked through: every number in it can be drawn, and only texts may hold
/// anything. Plain data.
struct RunStory {
  std::string file;
  runtime::Message<schema::RecordHeader> header;
  std::uint32_t workers = 0;
  std::vector<GroupMark> groups;
  std::vector<DecisionMark> decisions;
  std::vector<EvaluationMark> evaluations;
  std::vector<Incident> incidents;
  std::optional<runtime::Message<schema::RecordEnd>> end;  ///< Absent: the command was killed.
  double run_s = 0;                                        ///< The latest there is.
  std::uint64_t lost = 0;     ///< Entries that were forgotten before anybody asked.
  bool lost_more = false;     ///< And nobody knows how many.
  std::uint64_t unknown = 0;  ///< Lines of a later version.
  bool cut = false;           ///< The last line is not whole.

  std::string name() const {
    return header.read([](auto read) { return std::string(read.getJob().getName().cStr()); });
  }
};

std::string_view to_string(Incident::Kind kind);

}  // namespace slime::tools

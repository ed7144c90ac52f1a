#include "tools/slime/record/run_story.hpp"

#include <algorithm>

namespace slime::tools {

GroupMark join(const GroupMark& earlier, const GroupMark& later) {
  return {.lead = std::max(earlier.lead, later.lead),
          .compute_s = earlier.compute_s + later.compute_s,
          .fetch_s = earlier.fetch_s + later.fetch_s,
          .push_s = earlier.push_s + later.push_s,
          .wait_s = earlier.wait_s + later.wait_s,
          .run_s = later.run_s};
}

DecisionMark join(const DecisionMark&, const DecisionMark& later) {
  return later;
}

EvaluationMark join(const EvaluationMark&, const EvaluationMark& later) {
  return later;
}

Incident join(const Incident& earlier, const Incident& later) {
  Incident both = later;
  both.joined += earlier.joined;
  return both;
}

std::string_view to_string(Incident::Kind kind) {
  switch (kind) {
    case Incident::Kind::started:
      return "started";
    case Incident::Kind::joined:
      return "joined";
    case Incident::Kind::gone:
      return "gone";
    case Incident::Kind::rolled_back:
      return "rolled back";
    case Incident::Kind::checkpoint:
      return "checkpoint";
    case Incident::Kind::gap:
      return "gap";
  }
  return "unknown";
}

}  // namespace slime::tools

#include "tools/slime/record/run_story.hpp"

namespace slime::tools {

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

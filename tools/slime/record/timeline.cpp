#include "tools/slime/record/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tools/slime/record/worker_lane.hpp"

namespace slime::tools {

namespace {

constexpr double row = 15;   // Of computing.
constexpr double lane = 26;  // With the row below and the room to the next worker.

std::string_view mark_class(Incident::Kind kind) {
  switch (kind) {
    case Incident::Kind::joined:
      return "joined";
    case Incident::Kind::gone:
      return "gone";
    case Incident::Kind::rolled_back:
      return "rolledback";
    case Incident::Kind::checkpoint:
      return "checkpoint";
    case Incident::Kind::gap:
      return "gap";
    case Incident::Kind::started:
      break;
  }
  return "started";
}

/// A line across all workers for each place where something happened.
std::string marks(const RunStory& story, const Frame& frame, const Scale& x) {
  std::map<Incident::Kind, std::set<std::string>> places;
  for (const Incident& incident : story.incidents)
    places[incident.kind].insert(place(std::round(x(incident.run_s))));
  std::string text;
  for (const auto& [kind, at] : places) {
    std::string path;
    for (const std::string& where : at)
      path +=
          fmt::format("M{} {}V{}", where, place(Frame::top), place(frame.height - Frame::bottom));
    text += fmt::format("<path class=\"mark {}\" d=\"{}\"><title>{}</title></path>\n",
                        mark_class(kind), path, to_string(kind));
  }
  return text;
}

}  // namespace

std::string timeline(const RunStory& story, const DrawingBudget& budget) {
  const std::size_t drawn = std::min<std::size_t>(story.workers, budget.workers);
  Frame frame;
  frame.height = Frame::top + lane * static_cast<double>(drawn) + Frame::bottom;
  const Scale x = frame.x(story.run_s);
  std::string text = frame.open("timeline", "What each worker did, over the run's time") +
                     frame.x_axis(x, "run time, s");
  const std::size_t bars = DrawingBudget::part(budget.bars, drawn, 40, 1500);
  for (std::uint32_t worker = 0; worker < drawn; ++worker) {
    const double y = Frame::top + lane * worker;
    text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">worker {}</text>",
                        place(Frame::left - 6), place(y + 12), worker);
    const WorkerLane paths = worker_lane(story.groups[worker], {x, y, row}, bars);
    text += fmt::format(
        "<path class=\"compute\" d=\"{}\"/><path class=\"wait\" d=\"{}\"/>"
        "<path class=\"fetch\" d=\"{}\"/><path class=\"push\" d=\"{}\"/>\n",
        paths.compute, paths.wait, paths.fetch, paths.push);
  }
  return text + marks(story, frame, x) + "</svg>\n";
}

}  // namespace slime::tools

#include "tools/slime/record/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "runtime/base/utc_time.hpp"
#include "tools/slime/record/comparison.hpp"
#include "tools/slime/record/drawing.hpp"
#include "tools/slime/record/run_charts.hpp"
#include "tools/slime/record/run_figures.hpp"
#include "tools/slime/record/run_tables.hpp"
#include "tools/slime/record/timeline.hpp"

namespace slime::tools {

namespace {

// The policy keeps a browser from fetching anything, whatever a record smuggled in.
constexpr std::string_view head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>SLIME runs</title>
<style>
body { font: 14px/1.45 system-ui, sans-serif; color: #1d232b; background: #fff;
  max-width: 1020px; margin: 24px auto; padding: 0 16px; }
h1 { font-size: 22px; } h2 { font-size: 19px; margin-top: 40px; border-top: 2px solid #c9d1da;
  padding-top: 16px; } h3 { font-size: 15px; margin: 26px 0 4px; }
svg { width: 100%; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: #5a6673; }
pre { font: 12px/1.5 ui-monospace, monospace; overflow-x: auto; background: #f5f7f9;
  padding: 10px; }
table { border-collapse: collapse; font-size: 12px; } td, th { text-align: left;
  padding: 2px 14px 2px 0; vertical-align: top; border-bottom: 1px solid #e5e9ee; }
.note { color: #8a4b00; } .hint { color: #5a6673; font-size: 12px; margin: 2px 0 6px; }
.grid { stroke: #e5e9ee; fill: none; } .line { fill: none; stroke-width: 1.6; }
.level { stroke: #8b98a5; stroke-dasharray: 5 4; fill: none; }
.compute { fill: #2f7d4f; } .wait { fill: #e3b8a4; }
.fetch { fill: #3f74b5; } .push { fill: #8557ab; }
.mark { stroke-width: 1.4; fill: none; } .started { stroke: #1d232b; stroke-dasharray: 2 3; }
.joined { stroke: #2f7d4f; } .gone { stroke: #d02f2f; } .rolledback { stroke: #e08900; }
.checkpoint { stroke: #8b98a5; stroke-dasharray: 1 3; } .gap { stroke: #b000b0; }
.key { display: inline-block; width: 11px; height: 11px; margin: 0 5px 0 14px;
  vertical-align: -1px; }
</style>
</head>
<body>
<h1>SLIME runs</h1>
)";

constexpr std::string_view timeline_hint =
    R"(<p class="hint"><span class="key" style="background:#2f7d4f"></span>computing
<span class="key" style="background:#e3b8a4"></span>waiting
<span class="key" style="background:#3f74b5"></span>fetching
<span class="key" style="background:#8557ab"></span>pushing, both below; across:
<span class="key" style="background:#1d232b"></span>started
<span class="key" style="background:#2f7d4f"></span>joined
<span class="key" style="background:#d02f2f"></span>gone
<span class="key" style="background:#e08900"></span>rolled back
<span class="key" style="background:#8b98a5"></span>checkpoint
<span class="key" style="background:#b000b0"></span>gap in the record</p>
)";

std::string notes(const RunStory& story, const DrawingBudget& budget) {
  std::vector<std::string> told;
  if (!story.end)
    told.push_back(
        "The record has no end: the run was killed, or it still went on when this page was drawn.");
  if (story.cut) told.push_back("Its last line is not whole and was left out.");
  if (story.lost > 0 || story.lost_more)
    told.push_back(
        fmt::format("{}{} entries are missing.", story.lost_more ? "At least " : "", story.lost));
  if (story.thinned)
    told.push_back(
        "There is more in it than there is room for: the drawings and the tables are thinned, the "
        "figures are not.");
  if (story.unknown > 0)
    told.push_back(
        fmt::format("{} lines of a later version of SLIME were left out.", story.unknown));
  if (story.workers > budget.workers)
    told.push_back(
        fmt::format("The first {} of {} workers are drawn.", budget.workers, story.workers));
  if (story.end) {
    const std::string reason =
        story.end->read([](auto read) { return std::string(read.getReason().cStr()); });
    if (!reason.empty()) told.push_back("It failed: " + shortened(reason, 1000));
  }
  std::string text;
  for (const std::string& note : told)
    text += fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
  return text;
}

std::string colours(const RunStory& story, const DrawingBudget& budget) {
  std::string text = "<p class=\"hint\">";
  const auto drawn = std::min<std::size_t>(story.workers, budget.workers);
  for (std::uint32_t worker = 0; worker < drawn; ++worker)
    text += fmt::format("<span class=\"key\" style=\"background:{}\"></span>worker {}",
                        worker_colour(worker), worker);
  return text + "</p>\n";
}

std::string section(const RunStory& story, const DrawingBudget& budget) {
  const RunFigures figures = figures_of(story);
  std::string text =
      fmt::format("<section>\n<h2>{}</h2>\n", html_text(shortened(figures.name, 200)));
  text += story.header.read([&](schema::RecordHeader::Reader header) {
    return fmt::format("<p class=\"hint\">{}, run {:016x}, started {}, SLIME {}</p>\n",
                       html_text(story.file), header.getRun(), utc_text(header.getStartedUs()),
                       html_text(shortened(header.getSlimeVersion().cStr(), 40)));
  });
  text += notes(story, budget);
  text += "<pre>" + html_text_lines(comparison_text({&figures, 1})) + "</pre>\n";
  text += "<h3>What each worker did</h3>\n" + std::string(timeline_hint) + timeline(story, budget);
  text +=
      "<h3>Shares of an iteration</h3>\n" + colours(story, budget) + shares_chart(story, budget);
  text +=
      "<h3>Staleness</h3>\n<p class=\"hint\">Iterations that a group was ahead of the oldest "
      "one with a sample not yet applied, when it was sealed.</p>\n" +
      colours(story, budget) + staleness_chart(story, budget);
  text += "<h3>Test accuracy over run time</h3>\n" + accuracy_chart(story, budget);
  text += "<h3>Test accuracy over samples</h3>\n" + learning_chart(story, budget);
  text += "<h3>What happened</h3>\n" + incidents_table(story, budget.rows);
  text += "<h3>Decisions of shares</h3>\n" + decisions_table(story, budget.rows);
  return text + "</section>\n";
}

}  // namespace

std::string report_page(std::span<const RunStory> stories) {
  const DrawingBudget budget(stories.size());
  std::string text(head);
  if (stories.size() > 1) {
    std::vector<RunFigures> figures;
    for (const RunStory& story : stories) figures.push_back(figures_of(story));
    text += "<h2>Side by side</h2>\n<pre>" + html_text_lines(comparison_text(figures)) + "</pre>\n";
  }
  for (const RunStory& story : stories) text += section(story, budget);
  return text + "</body>\n</html>\n";
}

}  // namespace slime::tools

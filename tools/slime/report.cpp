#include "tools/slime/report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/record/page.hpp"
#include "tools/slime/record/run_figures.hpp"
#include "tools/slime/record/story_reader.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "report";

struct Options {
  std::vector<std::string> runs;
  std::string output = "report.html";
  bool json = false;
};

Status write_page(const std::string& file, const std::string& page) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out << page && out.flush()) return ok();
  return Error{Errc::io_error, fmt::format("writing {}: {}; --output names another file", file,
                                           std::strerror(errno))};
}

/// A slip of the command line must not cost a record.
Status spare_records(const Options& options) {
  std::error_code absent;
  for (const std::string& run : options.runs)
    if (std::filesystem::equivalent(run, options.output, absent))
      return Error{
          Errc::invalid_argument,
          fmt::format("the page would replace the record {}; --output names another file", run)};
  return ok();
}

std::string figures_list(const std::vector<RunStory>& stories) {
  std::string list;
  for (const RunStory& story : stories)
    list += (list.empty() ? "" : ",") + figures_json(figures_of(story));
  return "[" + list + "]";
}

}  // namespace

ExitCode run_report(std::span<const std::string> arguments, const Console& console) {
  Options options;
  CLI::App parser("Draws what runs did, from their records, as one HTML page that needs no other.");
  parser.add_option("run", options.runs, "record of a run, as slime train writes it; 60 at most")
      ->type_name("RUN")
      ->required();
  parser.add_option("--output", options.output, "file to write, instead of report.html")
      ->type_name("FILE");
  parser.add_flag("--json", options.json, "what was written and the runs' figures, as JSON");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  if (const Status few = check_runs(options.runs.size()); !few)
    return report(console, command, few.error(), options.json);
  std::vector<RunStory> stories;
  for (const std::string& run : options.runs) {
    auto story = read_story(run, StoryLimits::of_one(options.runs.size()));
    if (!story) return report(console, command, story.error(), options.json);
    stories.push_back(std::move(*story));
  }
  if (const Status spared = spare_records(options); !spared)
    return report(console, command, spared.error(), options.json);
  const std::string page = report_page(stories);
  if (const Status written = write_page(options.output, page); !written)
    return report(console, command, written.error(), options.json);
  if (options.json)
    console.out << JsonObject()
                       .boolean("ok", true)
                       .text("output", options.output)
                       .number("bytes", page.size())
                       .raw("runs", figures_list(stories))
                       .str()
                << '\n';
  else
    console.out << options.output << '\n';
  return ExitCode::ok;
}

}  // namespace slime::tools

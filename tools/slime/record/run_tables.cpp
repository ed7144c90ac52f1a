#include "tools/slime/record/run_tables.hpp"

#include <fmt/format.h>

#include <functional>

#include "tools/slime/record/drawing.hpp"

namespace slime::tools {

namespace {

constexpr std::size_t workers_told_max = 16;

/// Rows from a heading and what writes each; those in the middle of too many are left out.
std::string table(std::string_view heading, std::size_t rows, std::size_t rows_max,
                  const std::function<std::string(std::size_t)>& row) {
  if (rows == 0) return "<p class=\"hint\">Nothing.</p>\n";
  std::string text = fmt::format("<table>\n<tr>{}</tr>\n", heading);
  const std::size_t half = rows_max / 2;
  for (std::size_t i = 0; i < rows; ++i) {
    if (rows > rows_max && i == half) {
      text += fmt::format("<tr><td>…</td><td>{} more</td></tr>\n", rows - 2 * half);
      i = rows - half;
    }
    text += "<tr>" + row(i) + "</tr>\n";
  }
  return text + "</table>\n";
}

std::string share_text(const ShareMark& share) {
  std::string text = fmt::format("{}: {}", share.worker, share.blocks);
  if (share.measured)
    text += fmt::format(" ({:.3g} ms + {:.3g} ms a sample, noise {:.1f} %)", share.fixed_s * 1e3,
                        share.sample_s * 1e3, share.noise * 100);
  return text;
}

}  // namespace

std::string html_text_lines(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    safe += html_text(text.substr(0, end));
    if (end == std::string_view::npos) break;
    safe += '\n';
    text.remove_prefix(end + 1);
  }
  return safe;
}

std::string incidents_table(const RunStory& story, std::size_t rows_max) {
  return table("<th>run time, s</th><th>what</th><th></th>", story.incidents.size(), rows_max,
               [&](std::size_t i) {
                 const Incident& incident = story.incidents[i];
                 std::string text = html_text(shortened(incident.text, Incident::text_bytes_max));
                 if (incident.joined > 1)
                   text += fmt::format(" (the last of {} that are shown as one)", incident.joined);
                 return fmt::format("<td>{:.2f}</td><td>{}</td><td>{}</td>", incident.run_s,
                                    to_string(incident.kind), text);
               });
}

std::string decisions_table(const RunStory& story, std::size_t rows_max) {
  return table("<th>run time, s</th><th>iteration</th><th>worker: blocks (what was known)</th>",
               story.decisions.size(), rows_max, [&](std::size_t i) {
                 const DecisionMark& decision = story.decisions[i];
                 std::string shares;
                 for (std::size_t at = 0; at < decision.workers.size(); ++at) {
                   if (at == workers_told_max) {
                     shares += fmt::format("and {} more", decision.workers.size() - at);
                     break;
                   }
                   shares += share_text(decision.workers[at]) + "<br>";
                 }
                 return fmt::format("<td>{:.2f}</td><td>{}</td><td>{}</td>", decision.run_s,
                                    decision.iteration, shares);
               });
}

}  // namespace slime::tools

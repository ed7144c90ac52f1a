#include "tools/slime/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

constexpr std::size_t shares_listed_max = 8;

Duration interval(ProgressPrinter::Style style) {
  switch (style) {
    case ProgressPrinter::Style::redraw:
      return std::chrono::milliseconds(200);
    case ProgressPrinter::Style::lines:
      return std::chrono::seconds(5);
    case ProgressPrinter::Style::json:
      return std::chrono::seconds(1);
  }
  return std::chrono::seconds(1);
}

/// "shares 29 29 29 13 %", or the extremes when there are too many workers to list.
std::string shares_text(const std::vector<double>& shares) {
  if (shares.size() > shares_listed_max) {
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    return fmt::format("shares {:.1f} to {:.1f} %", *least * 100, *most * 100);
  }
  std::string text = "shares";
  for (const double share : shares) text += fmt::format(" {:.0f}", share * 100);
  return text + " %";
}

struct Part {
  int importance;  ///< The least important are left out of a narrow line first.
  std::string text;
};

std::vector<Part> parts(const RunProgress& progress) {
  std::vector<Part> parts;
  parts.push_back({5, fmt::format("epoch {}/{}", progress.epoch, progress.epochs)});
  parts.push_back({1, fmt::format("iteration {}/{}", progress.iteration, progress.iterations)});
  if (progress.test_accuracy)
    parts.push_back({6, fmt::format("accuracy {:.4f}", *progress.test_accuracy)});
  // No time has been measured yet.
  parts.push_back({4, progress.samples_per_second > 0
                          ? fmt::format("{:.0f} images/s", progress.samples_per_second)
                          : "- images/s"});
  if (!progress.shares.empty()) parts.push_back({0, shares_text(progress.shares)});
  parts.push_back({2, fmt::format("idle {:.1f} %", progress.idle_fraction * 100)});
  if (progress.seconds_left)
    parts.push_back({3, fmt::format("left {}", clock_text(*progress.seconds_left))});
  if (progress.checkpoint_seconds)
    parts.push_back(
        {-1, fmt::format("a checkpoint every {}", clock_text(*progress.checkpoint_seconds))});
  return parts;
}

std::string join(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts) line += (line.empty() ? "" : "  ") + part.text;
  return line;
}

}  // namespace

std::string clock_text(double seconds) {
  // A rate of nearly zero predicts ages; more digits than a year's would only look like knowledge.
  const auto total = static_cast<std::uint64_t>(std::clamp(std::ceil(seconds), 0.0, 366.0 * 86400));
  const std::uint64_t hours = total / 3600;
  if (hours == 0) return fmt::format("{}:{:02}", total / 60, total % 60);
  return fmt::format("{}:{:02}:{:02}", hours, total / 60 % 60, total % 60);
}

std::string progress_line(const RunProgress& progress, unsigned width) {
  std::vector<Part> shown = parts(progress);
  std::string line = join(shown);
  while (width > 0 && line.size() > width && shown.size() > 1) {
    shown.erase(std::min_element(shown.begin(), shown.end(), [](const Part& a, const Part& b) {
      return a.importance < b.importance;
    }));
    line = join(shown);
  }
  return width > 0 ? line.substr(0, width) : line;
}

std::string progress_json(const RunProgress& progress) {
  JsonObject object;
  object.number("epoch", progress.epoch)
      .number("epochs", progress.epochs)
      .number("iteration", progress.iteration)
      .number("iterations", progress.iterations)
      .number("seconds", progress.seconds)
      .number("samples_per_second", progress.samples_per_second)
      .optional("test_accuracy", progress.test_accuracy);
  std::string shares;
  for (const double share : progress.shares)
    shares += (shares.empty() ? "" : ",") + json_number(share);
  object.raw("shares", "[" + shares + "]")
      .number("idle_fraction", progress.idle_fraction)
      .optional("seconds_left", progress.seconds_left)
      .optional("checkpoint_interval_seconds", progress.checkpoint_seconds);
  if (progress.checkpoint_copied) object.number("checkpoint_copied", *progress.checkpoint_copied);
  if (progress.copies_failed > 0) object.number("copies_failed", progress.copies_failed);
  return JsonObject().raw("progress", object.str()).str();
}

void ProgressPrinter::update(const RunProgress& progress, Instant now, unsigned width) {
  if (printed_ && now - *printed_ < interval(style_)) return;
  printed_ = now;
  if (style_ == Style::json) {
    out_ << progress_json(progress) << std::endl;
  } else if (style_ == Style::lines) {
    out_ << progress_line(progress, 0) << std::endl;
  } else {
    // The last column stays free: a terminal that wraps there would scroll with every redraw.
    out_ << "\r\x1b[K" << progress_line(progress, width > 1 ? width - 1 : width) << std::flush;
    drawn_ = true;
  }
}

void ProgressPrinter::clear() {
  if (!drawn_) return;
  out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

unsigned terminal_width(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace slime::tools

#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"

namespace slime::tools {

/// How far a training run is, at one moment.
struct RunProgress {
  std::uint32_t epoch = 0;  ///< Under way, from 1.
  std::uint32_t epochs = 0;
  std::uint64_t iteration = 0;  ///< Finished, over the whole job.
  std::uint64_t iterations = 0;
  double seconds = 0;                        ///< Since the first grant, evaluation excluded.
  double samples_per_second = 0;             ///< Over the last seconds, all workers together.
  std::optional<double> test_accuracy;       ///< Of the latest evaluation, 0 to 1.
  std::vector<double> shares;                ///< Fraction of an iteration for each worker, by id.
  double idle_fraction = 0;                  ///< Of all workers' time, spent waiting.
  std::optional<double> seconds_left;        ///< Absent until there is something to go by.
  std::optional<double> checkpoint_seconds;  ///< Between two, where that is computed.
  /// Iteration of the newest checkpoint at the second place, of this run's copies.
  std::optional<std::uint64_t> checkpoint_copied;
  std::uint64_t copies_failed = 0;
};

/// "0:25" or "1:02:03".
std::string clock_text(double seconds);

/// One line of at most `width` characters without a line end; what matters least is left out
/// first. `width` 0 means no limit.
std::string progress_line(const RunProgress& progress, unsigned width);

/// The same as one JSON object in one line: {"progress":{"epoch":1,…}}.
std::string progress_json(const RunProgress& progress);

/// Writes progress as often as its reader can use it. Confined to one thread; blocks only as far
/// as `out` does.
class ProgressPrinter {
 public:
  enum class Style : std::uint8_t {
    redraw,  ///< One line on a terminal, drawn over at most 5 times a second.
    lines,   ///< A line every 5 seconds, for logs.
    json,    ///< A JSON line every second, for scripts.
  };

  /// `out` is kept by reference.
  ProgressPrinter(std::ostream& out, Style style) : out_(out), style_(style) {}

  /// Prints `progress` if its turn has come. @param width  Columns of the terminal; 0: unknown.
  void update(const RunProgress& progress, Instant now, unsigned width);
  /// Wipes the line of a terminal, so that other text can follow. Called before any is written.
  void clear();

 private:
  std::ostream& out_;
  Style style_;
  std::optional<Instant> printed_;
  bool drawn_ = false;
};

/// Columns of the terminal behind `descriptor`; 0 when it is none.
unsigned terminal_width(int descriptor);

}  // namespace slime::tools

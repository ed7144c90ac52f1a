#include "tools/bench/checkpoint_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/clock.hpp"
#include "tools/bench/busy_model.hpp"
#include "tools/bench/comparison.hpp"
#include "tools/bench/model_store.hpp"
#include "tools/bench/plain_file.hpp"
#include "tools/bench/scratch_folder.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::bench {

namespace {

namespace fs = std::filesystem;

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr double interval_s = 120;
constexpr double lost_share_max = 0.02;

/// What is promised of a case's ratio; 0: nothing.
struct Case {
  const char* name;
  double ratio_min;
};
constexpr Case lost_case{"training time lost, s", 1};
constexpr Case memory_case{"memory, GiB", 1};
constexpr Case write_case{"write, GiB/s", 0.7};
constexpr Case restore_case{"restore, GiB/s", 0.7};
constexpr Case cached_case{"restore, cached, GiB/s", 0};
constexpr Case partly_case{"10 % of the blocks changed, s", 5};
constexpr Case bytes_case{"10 % of the blocks changed, GiB", 5};
constexpr Case unknown_case{"10 %, which is not known, s", 0};
constexpr std::array training_cases{lost_case, memory_case};
constexpr std::array storage_cases{write_case,  restore_case, cached_case,
                                   partly_case, bytes_case,   unknown_case};

double seconds_of(const std::function<void()>& work) {
  const Instant start = monotonic_now();
  work();
  return to_seconds(monotonic_now() - start);
}

/// "VmRSS:" or, for its peak, "VmHWM:".
double memory_gib(std::string_view kind) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kind)) return std::stod(line.substr(kind.size())) / (1 << 20);
  return 0;
}

/// What all cases share.
struct Bench {
  Options options;
  std::size_t runs;
  double memory_before_gib;
  Model model;
  fs::path folder;
  std::vector<Comparison> rows;

  bool wants(const Case& one) const {
    return std::string_view(one.name).find(options.only) != std::string_view::npos;
  }
  void add(const Case& one, bool higher_is_better, const Values& ours, std::string rival,
           const Values& theirs) {
    if (!wants(one)) return;
    Comparison row = compare(one.name, higher_is_better, ours, std::move(rival), theirs);
    if (one.ratio_min > 0) row.ratio_min = one.ratio_min;
    const std::string promise = row.ratio_min ? fmt::format("; promised x{:.2f}: {}", one.ratio_min,
                                                            is_met(row) ? "met" : "MISSED")
                                              : "";
    std::cout << fmt::format("{:<34} {:>9.3f} | {:<32} {:>9.3f} | x{}{}\n", row.name, row.ours,
                             row.rival, row.theirs, text_of(row.ratios), promise)
              << std::flush;
    rows.push_back(std::move(row));
  }
  double state_gib() const { return static_cast<double>(model.bytes()) / gib; }
};

/// What a checkpoint takes of the time of training, and of memory.
void measure_training(Bench& bench) {
  const double window = bench.options.quick ? 0.2 : 4;
  Values lost, memory;
  for (std::size_t i = 0; i < bench.runs; ++i) {
    const fs::path folder = bench.folder / "training";
    fs::remove_all(folder);
    ModelStore store(folder, bench.model.values.size());
    BusyModel training(bench.model, std::max(2U, std::thread::hardware_concurrency()));
    const auto rate = [&] {
      const std::uint64_t before = training.steps();
      const double seconds = seconds_of([&] { std::this_thread::sleep_for(from_seconds(window)); });
      return static_cast<double>(training.steps() - before) / seconds;
    };
    const double rate_before = rate();
    std::ofstream("/proc/self/clear_refs") << "5";  // The peak begins anew.
    const std::uint64_t before = training.steps();
    const double seconds = seconds_of([&] {
      Model copy(bench.model.values.size());
      training.copy_to(copy);
      store.save(copy, false);
    });
    const auto done = static_cast<double>(training.steps() - before);
    memory.push_back(memory_gib("VmHWM:") - bench.memory_before_gib);
    // What the rate alone varies by may be more than was lost.
    lost.push_back(std::max(0.001, seconds - done / ((rate_before + rate()) / 2)));
  }
  bench.add(lost_case, false, lost,
            fmt::format("{:.0f} % of {:.0f} s", 100 * lost_share_max, interval_s),
            Values(lost.size(), lost_share_max * interval_s));
  bench.add(memory_case, false, memory, "twice parameters and momentum",
            Values(memory.size(), 2 * bench.state_gib()));
  fs::remove_all(bench.folder / "training");
}

/// Whole checkpoints beside plain files, and those after few changes beside whole ones.
void measure_storage(Bench& bench) {
  Model& model = bench.model;
  ModelStore store(bench.folder / "store", model.values.size());
  const PlainFile plain(bench.folder / "plain");
  const double size = bench.state_gib();
  Values write, plain_write, read, plain_read, cached, plain_cached, whole, partly, bytes, unknown;
  for (std::size_t i = 0; i < bench.runs; ++i) {
    store.change(model, 1);
    whole.push_back(seconds_of([&] { store.save(model, true); }));
    write.push_back(size / whole.back());
    plain_write.push_back(size / seconds_of([&] { plain.write(model); }));
    {
      Model restored(model.values.size());
      const auto restore = [&] { store.restore(restored); };
      const auto read_plain = [&] { plain.read(restored); };
      restore();  // Touches the memory.
      cached.push_back(size / seconds_of(restore));
      plain_cached.push_back(size / seconds_of(read_plain));
      store.forget_cached();
      plain.forget();
      read.push_back(size / seconds_of(restore));
      plain_read.push_back(size / seconds_of(read_plain));
      if (restored.values != model.values || restored.momentum != model.momentum)
        throw std::runtime_error("what was restored is not what was saved");
    }
    store.change(model, 10);
    std::uint64_t own = 0;
    partly.push_back(seconds_of([&] { own = store.save(model, true); }));
    bytes.push_back(static_cast<double>(own) / gib);
    store.change(model, 10);
    unknown.push_back(seconds_of([&] { store.save(model, false); }));
    store.prune();
  }
  bench.add(write_case, true, write, "plain file and fsync", plain_write);
  bench.add(restore_case, true, read, "plain file", plain_read);
  bench.add(cached_case, true, cached, "plain file, cached", plain_cached);
  bench.add(partly_case, false, partly, "all changed", whole);
  bench.add(bytes_case, false, bytes, "all changed", Values(bytes.size(), size));
  bench.add(unknown_case, false, unknown, "all changed", whole);
}

}  // namespace

int run_checkpoint(const Options& options) {
  const std::uint64_t parameters = (options.quick ? 8 << 20 : 1 << 30) / sizeof(float);
  const ScratchFolder scratch;
  // Two whole checkpoints, a plain file and what little has changed.
  const std::uint64_t room = parameters * 2 * sizeof(float) * 7 / 2;
  if (const Status there = check_room(scratch.path(), room); !there) {
    std::cerr << "slime-bench checkpoint: " << there.error().context << '\n';
    return static_cast<int>(tools::exit_code(there.error().code));
  }
  Bench bench{.options = options,
              .runs = repetitions(options, 5),
              .memory_before_gib = memory_gib("VmRSS:"),
              .model = Model(parameters),
              .folder = scratch.path(),
              .rows = {}};
  const auto wants = [&bench](const Case& one) { return bench.wants(one); };
  const bool storage = std::ranges::any_of(storage_cases, wants);
  const bool training = std::ranges::any_of(training_cases, wants);
  if (!storage && !training) {
    std::cerr << "slime-bench checkpoint: no case has \"" << options.only
              << "\" in its name; without --only all are run and named\n";
    return 4;
  }
  std::cout << fmt::format(
      "{:.2f} GiB of parameters with momentum, {} parts in {}; medians of {}; xN [min max]: SLIME "
      "against it in each, above 1 SLIME is better\n"
      "\"cached\": read from the page cache, otherwise both from the disk; memory: the peak, less "
      "what the process had before\n",
      bench.state_gib() / 2, ModelStore::parts, bench.folder.string(), bench.runs);
  if (training) measure_training(bench);
  if (storage) measure_storage(bench);
  if (options.json) std::cout << json_of("checkpoint", bench.rows) << std::endl;
  return 0;
}

}  // namespace slime::bench

#include "tools/bench/checkpoint_bench.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/clock.hpp"
#include "storage/checkpoint_reader.hpp"
#include "storage/checkpoint_store.hpp"
#include "storage/pruning.hpp"
#include "tools/bench/busy_model.hpp"
#include "tools/bench/comparison.hpp"

namespace slime::bench {

namespace {

namespace fs = std::filesystem;

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr std::size_t parts = 16;
constexpr std::size_t piece_bytes = 8 << 20;  // Of the plain file.
constexpr double interval_s = 120;
constexpr double lost_share_max = 0.02;

double seconds_of(const std::function<void()>& work) {
  const Instant start = monotonic_now();
  work();
  return to_seconds(monotonic_now() - start);
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

void checked(const Status& status) {
  if (!status) throw std::runtime_error(to_string(status.error()));
}

/// Takes a file's bytes out of memory, so that they are read from the disk.
void forget_cached(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("opening " + path.string());
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

/// The rival: one file, written and read in order.
class PlainFile {
 public:
  explicit PlainFile(fs::path path) : path_(std::move(path)) {}

  void write(const Model& model) const {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) fail("making " + path_.string());
    for (const auto* plane : {&model.values, &model.momentum})
      for (auto left = std::as_bytes(std::span(*plane)); !left.empty();) {
        const auto written = ::write(file, left.data(), std::min(piece_bytes, left.size()));
        if (written < 0) fail("writing " + path_.string());
        left = left.subspan(static_cast<std::size_t>(written));
      }
    if (::fsync(file) != 0) fail("syncing " + path_.string());
    ::close(file);
  }
  void read(Model& model) const {
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail("opening " + path_.string());
    for (auto* plane : {&model.values, &model.momentum})
      for (auto left = std::as_writable_bytes(std::span(*plane)); !left.empty();) {
        const auto got = ::read(file, left.data(), std::min(piece_bytes, left.size()));
        if (got <= 0) fail("reading " + path_.string());
        left = left.subspan(static_cast<std::size_t>(got));
      }
    ::close(file);
  }
  void forget() const { forget_cached(path_); }

 private:
  fs::path path_;
};

/// Ours: one node's store, to which every part of the model goes.
class Store {
 public:
  explicit Store(const fs::path& directory)
      : directory_(directory),
        store_(checked(
            storage::CheckpointStore::open(directory / "node", storage::OpenMode::create))) {}

  /// @returns bytes that were written and not shared.
  std::uint64_t save(const Model& model) {
    const storage::CheckpointId id{1, ++iteration_};
    std::vector<storage::PartInfo> written;
    std::uint64_t bytes = 0;
    const std::size_t share = model.values.size() / parts;
    for (std::size_t first = 0; first < model.values.size(); first += share) {
      const std::span<const float> slot = std::span(model.momentum).subspan(first, share);
      written.push_back(checked(store_.write_part({id, iteration_, first},
                                                  std::span(model.values).subspan(first, share),
                                                  std::span(&slot, 1))));
      bytes += written.back().own_bytes;
    }
    checked(store_.commit(manifest(written)));
    return bytes;
  }
  /// Drops all but the newest checkpoint.
  void prune() { checked(storage::prune_run(store_, {.newest = 1}, 1)); }

  void restore(Model& model) const {
    const auto reader = checked(
        storage::CheckpointReader::open(directory_, checked(store_.manifest({1, iteration_}))));
    const std::span<float> slot(model.momentum);
    checked(reader.read(0, model.values, std::span(&slot, 1)));
  }
  void forget() const {
    for (const auto& entry : fs::recursive_directory_iterator(directory_))
      if (entry.is_regular_file()) forget_cached(entry.path());
  }

 private:
  storage::Manifest manifest(const std::vector<storage::PartInfo>& written) const {
    return storage::Manifest::make([&](schema::CheckpointManifest::Builder root) {
      root.setTerm(1);
      root.setRunTerm(1);
      root.setIteration(iteration_);
      auto stored = root.initParts(static_cast<unsigned>(written.size()));
      std::uint64_t count = 0;
      for (unsigned i = 0; i < written.size(); ++i) {
        stored[i].setNode("node");
        stored[i].setKey(written[i].key);
        stored[i].setChecksum(written[i].checksum);
        stored[i].setFirst(written[i].first);
        stored[i].setCount(written[i].count);
        stored[i].setBytes(written[i].own_bytes + written[i].shared_bytes);
        count += written[i].count;
      }
      auto tensor = root.initTensors(1)[0];
      tensor.setName("weights");
      tensor.initShape(1).set(0, count);
    });
  }

  fs::path directory_;
  storage::CheckpointStore store_;
  std::uint64_t iteration_ = 0;
};

/// Changes every `stride`th block of both planes.
void change(Model& model, std::size_t stride) {
  constexpr std::size_t block = storage::block_parameters;
  for (std::size_t at = 0; at < model.values.size(); at += stride * block)
    for (std::size_t i = at; i < std::min(at + block, model.values.size()); ++i) {
      model.values[i] += 1;
      model.momentum[i] -= 1;
    }
}

double peak_memory_gib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / (1 << 20);
  return 0;
}

/// What all cases share.
struct Bench {
  Options options;
  std::size_t runs;
  Model model;
  fs::path folder;
  std::vector<Comparison> rows;

  bool wants(std::string_view name) const { return name.find(options.only) != name.npos; }
  void add(const Comparison& row) {
    rows.push_back(row);
    std::cout << fmt::format("{:<34} {:>9.3f} | {:<32} {:>9.3f} | x{}\n", row.name, row.ours,
                             row.rival, row.theirs, text_of(row.ratios))
              << std::flush;
  }
  double state_gib() const { return static_cast<double>(model.bytes()) / gib; }
};

/// What a checkpoint takes of the time of training, and of memory.
void measure_training(Bench& bench) {
  const double window = bench.options.quick ? 0.2 : 4;
  const double allowed = lost_share_max * interval_s;
  Values lost, memory;
  for (std::size_t i = 0; i < bench.runs; ++i) {
    const fs::path folder = bench.folder / "training";
    fs::remove_all(folder);
    Store store(folder);
    BusyModel training(bench.model, std::max(2U, std::thread::hardware_concurrency()));
    const auto rate = [&] {
      const std::uint64_t before = training.steps();
      const double seconds = seconds_of([&] { std::this_thread::sleep_for(from_seconds(window)); });
      return static_cast<double>(training.steps() - before) / seconds;
    };
    const double rate_before = rate();
    std::ofstream("/proc/self/clear_refs") << "5";
    const std::uint64_t before = training.steps();
    const double seconds = seconds_of([&] {
      Model copy(bench.model.values.size());
      training.copy_to(copy);
      store.save(copy);
    });
    const auto done = static_cast<double>(training.steps() - before);
    memory.push_back(peak_memory_gib());
    // What the rate alone varies by may be more than was lost.
    lost.push_back(std::max(0.001, seconds - done / ((rate_before + rate()) / 2)));
  }
  if (bench.wants("training time lost, s"))
    bench.add(compare("training time lost, s", false, lost,
                      fmt::format("{:.0f} % of {:.0f} s", 100 * lost_share_max, interval_s),
                      Values(lost.size(), allowed)));
  if (bench.wants("memory, GiB"))
    bench.add(compare("memory, GiB", false, memory, "twice parameters and momentum",
                      Values(memory.size(), 2 * bench.state_gib())));
}

/// Whole checkpoints beside plain files, and those after few changes beside whole ones.
void measure_storage(Bench& bench) {
  Store store(bench.folder / "store");
  const PlainFile plain(bench.folder / "plain");
  Model& model = bench.model;
  const double size = bench.state_gib();
  Values write, plain_write, read, plain_read, cached, plain_cached, whole, partly, bytes;
  for (std::size_t i = 0; i < bench.runs; ++i) {
    change(model, 1);
    whole.push_back(seconds_of([&] { store.save(model); }));
    write.push_back(size / whole.back());
    plain_write.push_back(size / seconds_of([&] { plain.write(model); }));
    Model restored(model.values.size());
    const auto restore = [&] { store.restore(restored); };
    const auto read_plain = [&] { plain.read(restored); };
    restore();  // Touches the memory.
    cached.push_back(size / seconds_of(restore));
    plain_cached.push_back(size / seconds_of(read_plain));
    store.forget();
    plain.forget();
    read.push_back(size / seconds_of(restore));
    plain_read.push_back(size / seconds_of(read_plain));
    if (restored.values != model.values || restored.momentum != model.momentum)
      throw std::runtime_error("what was restored is not what was saved");
    change(model, 10);
    std::uint64_t own = 0;
    partly.push_back(seconds_of([&] { own = store.save(model); }));
    bytes.push_back(static_cast<double>(own) / gib);
    store.prune();
  }
  const Values all_bytes(bytes.size(), size);
  for (const Comparison& row :
       {compare("write, GiB/s", true, write, "plain file and fsync", plain_write),
        compare("restore, GiB/s", true, read, "plain file", plain_read),
        compare("restore, cached, GiB/s", true, cached, "plain file, cached", plain_cached),
        compare("10 % of the blocks changed, s", false, partly, "all changed", whole),
        compare("10 % of the blocks changed, GiB", false, bytes, "all changed", all_bytes)})
    if (bench.wants(row.name)) bench.add(row);
}

}  // namespace

int run_checkpoint(const Options& options) {
  constexpr std::array storage_cases{"write, GiB/s", "restore, GiB/s", "restore, cached, GiB/s",
                                     "10 % of the blocks changed, s",
                                     "10 % of the blocks changed, GiB"};
  constexpr std::array training_cases{"training time lost, s", "memory, GiB"};
  const std::uint64_t parameters = (options.quick ? 8 << 20 : 1 << 30) / sizeof(float);
  Bench bench{options,
              repetitions(options, 5),
              Model(parameters),
              fs::temp_directory_path() / fmt::format("slime-bench-{}", ::getpid()),
              {}};
  const auto wants = [&bench](const char* name) { return bench.wants(name); };
  const bool storage = std::ranges::any_of(storage_cases, wants);
  const bool training = std::ranges::any_of(training_cases, wants);
  if (!storage && !training) {
    std::cerr << "slime-bench checkpoint: no case has \"" << options.only
              << "\" in its name; without --only all are run and named\n";
    return 4;
  }
  fs::create_directories(bench.folder);
  std::cout << fmt::format(
      "{:.2f} GiB of parameters with momentum, {} parts in {}; medians of {}; xN [min max]: SLIME "
      "against it in each, above 1 SLIME is better\n",
      bench.state_gib() / 2, parts, bench.folder.string(), bench.runs);
  const auto remove = [&bench] {
    std::error_code ignored;
    fs::remove_all(bench.folder, ignored);
  };
  try {
    if (training) measure_training(bench);
    fs::remove_all(bench.folder / "training");
    if (storage) measure_storage(bench);
  } catch (...) {
    remove();
    throw;
  }
  remove();
  if (options.json) std::cout << json_of("checkpoint", bench.rows) << std::endl;
  return 0;
}

}  // namespace slime::bench

#include "tools/bench/link_bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"
#include "tools/bench/carrier.hpp"
#include "tools/bench/comparison.hpp"
#include "tools/bench/served_process.hpp"

namespace slime::bench {

namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

/// One thing that is measured of every carrier.
struct Case {
  std::string name;
  bool higher_is_better;
  /// The smallest run that means anything, in messages.
  std::size_t count_min;
  std::function<double(Client&, std::size_t count)> measure;
};

bool wanted(const std::string& kind, const Case& one, const std::string& only) {
  return (kind + " " + one.name).find(only) != std::string::npos;
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

std::string size_text(std::size_t bytes) {
  if (bytes >= (1u << 20)) return std::to_string(bytes >> 20) + " MiB";
  return std::to_string(bytes >> 10) + " KiB";
}

std::vector<Case> make_cases() {
  std::vector<Case> cases;
  for (const std::size_t bytes : {4u << 10, 64u << 10, 1u << 20, 16u << 20, 64u << 20}) {
    const bool large = bytes >= (1u << 20);
    cases.push_back({"goodput " + size_text(bytes) + ", GiB/s", true,
                     std::clamp<std::size_t>((64u << 20) / bytes, 2, 1000),
                     [=](Client& client, std::size_t count) {
                       const double seconds = client.stream(bytes, count, large ? 4 : 64);
                       return static_cast<double>(bytes * count) / gib / seconds;
                     }});
  }
  for (const auto& [name, share] : {std::pair("ask p50, us", 0.5), std::pair("ask p99, us", 0.99)})
    cases.push_back({name, false, 300, [part = share](Client& client, std::size_t count) {
                       return percentile(client.round_trips(count), part) * 1e6;
                     }});
  cases.push_back({"asks, 64 under way, 1000/s", true, 5000, [](Client& client, std::size_t count) {
                     const double seconds = client.stream(small_bytes, count, 64);
                     return static_cast<double>(count) / seconds / 1000;
                   }});
  cases.push_back({"one way, 1000/s", true, 10'000, [](Client& client, std::size_t count) {
                     const double seconds = client.one_way(count);
                     return static_cast<double>(count) / seconds / 1000;
                   }});
  return cases;
}

/// How many messages take a carrier about `seconds`. Also touches the buffers and lets sockets find
/// their window, which is why one run is not enough to tell.
std::size_t count_for(const Case& one, Client& client, double seconds) {
  std::size_t count = one.count_min;
  for (int i = 0; i < 3; ++i) {
    const Instant start = monotonic_now();
    one.measure(client, count);
    const double times = std::min(100.0, seconds / to_seconds(monotonic_now() - start));
    if (times <= 1) break;
    count = static_cast<std::size_t>(times * static_cast<double>(count));
  }
  return count;
}

/// Measures all cases of all carriers over one kind of socket.
class Round {
 public:
  Round(std::string kind, const std::function<std::string(std::string_view)>& endpoint)
      : kind_(std::move(kind)) {
    for (const Carrier& carrier : carriers()) {
      if (kind_ == "unix" && !carrier.unix_sockets) continue;
      const std::string name(carrier.name);
      servers_.push_back(std::make_unique<ServedProcess>(name, endpoint(carrier.name)));
      names_.push_back(name);
      rivals_.push_back(carrier.rival);
      clients_.push_back(carrier.connect(servers_.back()->endpoint()));
    }
  }
  ~Round() {
    clients_.clear();
    servers_.clear();
  }

  /// @param seconds  What one measurement takes, about.
  std::vector<Comparison> run(const std::vector<Case>& cases, std::size_t repetitions,
                              double seconds, const std::string& only) {
    std::vector<Comparison> rows;
    for (const Case& one : cases) {
      if (!wanted(kind_, one, only)) continue;
      std::vector<std::size_t> counts;
      for (const auto& client : clients_) counts.push_back(count_for(one, *client, seconds));
      std::vector<Values> values(clients_.size());
      for (std::size_t i = 0; i < repetitions; ++i)
        for (std::size_t c = 0; c < clients_.size(); ++c)
          values[c].push_back(one.measure(*clients_[c], counts[c]));
      report(one, values, rows);
    }
    return rows;
  }

 private:
  void report(const Case& one, const std::vector<Values>& values,
              std::vector<Comparison>& rows) const {
    const std::string name = kind_ + " " + one.name;
    std::cout << fmt::format("{:<36}", name);
    for (std::size_t c = 0; c < values.size(); ++c) {
      std::cout << fmt::format(" | {:<6} {:>22}", names_[c], text_of(values[c]));
      if (!rivals_[c]) continue;
      rows.push_back(compare(name, one.higher_is_better, values[0], names_[c], values[c]));
      std::cout << " x" << text_of(rows.back().ratios);
    }
    std::cout << std::endl;
  }

  std::string kind_;
  std::vector<std::string> names_;
  std::vector<bool> rivals_;
  std::vector<std::unique_ptr<ServedProcess>> servers_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace

int run_link(const Options& options) {
  const std::size_t repetitions = bench::repetitions(options, 7);
  // Shorter ones are at the mercy of what else the machine does.
  const double seconds = options.quick ? 0.0 : 0.3;
  const std::vector<Case> cases = make_cases();
  if (std::ranges::none_of(cases, [&](const Case& one) {
        return wanted("tcp", one, options.only) || wanted("unix", one, options.only);
      })) {
    std::cerr << "slime-bench link: no case has \"" << options.only
              << "\" in its name; without --only all are run and named\n";
    return 4;
  }
  const auto folder =
      std::filesystem::temp_directory_path() / ("slime-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::cout
      << "two processes of this machine; TCP congestion control: " << congestion_control()
      << ", no delay; small messages: " << small_bytes << " bytes; median [min max] of "
      << repetitions << "; xN [min max]: slime against it in each, above 1 slime is better\n"
      << "slime: actors with brief turns, on the link's thread; shared: the same link, actors "
         "on CAF's threads\n";
  std::vector<Comparison> rows;
  for (const std::string kind : {"tcp", "unix"}) {
    Round round(kind, [&](std::string_view carrier) {
      return kind == "tcp" ? std::string("tcp:127.0.0.1:0") : "unix:" + (folder / carrier).string();
    });
    const auto more = round.run(cases, repetitions, seconds, options.only);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  std::filesystem::remove_all(folder);
  if (options.json) std::cout << json_of("link", rows) << std::endl;
  return 0;
}

}  // namespace slime::bench

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "runtime/cluster/node_stats.hpp"

namespace slime::runtime {

/// Tells every metric of a node to whoever asks by HTTP for /metrics, in Prometheus's text format.
/// Threads of its own answer, two at a time, and give a client two seconds; nothing is measured in
/// between. Confined to the thread that made it.
class MetricsServer {
 public:
  /// Reads the node's numbers; called on the server's threads, at most two at a time.
  using Source = std::function<NodeStats()>;

  /// Binds, and answers that it is not ready.
  /// @param address  "HOST:PORT", ":PORT" or "PORT"; without a host, loopback; port 0: any free
  ///                 one.
  /// Errors: invalid_argument, already_exists (the port is taken; says by whom, where it can be
  /// told), io_error.
  static Result<std::unique_ptr<MetricsServer>> open(std::string_view address);
  /// Stops: `source` is not called afterwards. Requests under way are broken off, so that it blocks
  /// for no longer than `source` does, whatever clients do.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// From now on it tells what `source` reads.
  void serve(Source source);

  /// Where it really is: "http://127.0.0.1:9464/metrics".
  const std::string& url() const;

 private:
  class Inside;

  explicit MetricsServer(std::unique_ptr<Inside> inside);

  std::unique_ptr<Inside> inside_;
};

}  // namespace slime::runtime

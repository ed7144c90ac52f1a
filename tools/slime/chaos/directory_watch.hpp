#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tools/slime/chaos/directory_history.hpp"
#include "tools/slime/cluster_access.hpp"

namespace slime::tools {

/// Looks into the directory of a real cluster again and again, on a thread of its own, from before
/// the first job until `stop`; over every restart of the head, which it waits for. Nothing but
/// `stop` blocks.
class DirectoryWatch {
 public:
  /// @param head   Where it listens, or will.
  /// @param token  The cluster's secret.
  DirectoryWatch(std::string head, std::string token);
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  /// Ends it and returns what was seen. Blocks for as long as the head may take to answer, a few
  /// seconds. Once.
  DirectoryHistory stop();

 private:
  void run();
  /// Errors: those of a call to the head.
  Status look(const ClusterAccess& cluster);
  /// Whether it is time to end; otherwise a moment has passed.
  bool ends();

  const std::string head_;
  const std::string token_;
  DirectoryHistory history_;  // The thread's, until it has ended.
  std::mutex mutex_;
  std::condition_variable ending_;
  bool stopping_ = false;  // Guarded.
  std::thread thread_;
};

}  // namespace slime::tools

#pragma once

#include <filesystem>

#include "tools/bench/busy_model.hpp"

namespace slime::bench {

/// Takes a file's bytes out of memory, so that they are read from the disk. Throws
/// std::runtime_error, as all here do.
void forget_cached(const std::filesystem::path& path);

/// The rival of a store: one file, written and read in order by one thread. Waits for the disk.
class PlainFile {
 public:
  explicit PlainFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// Durable when it returns.
  void write(const Model& model) const;
  /// Precondition: a model of this size was written.
  void read(Model& model) const;
  void forget() const { forget_cached(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace slime::bench

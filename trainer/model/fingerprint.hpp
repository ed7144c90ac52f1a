#pragma once

#include <memory>
#include <span>
#include <string>

#include "runtime/base/error.hpp"

namespace slime::trainer {

/// SHA-256 of values that come piece by piece. Not thread-safe.
class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();
  Fingerprint(const Fingerprint&) = delete;
  Fingerprint& operator=(const Fingerprint&) = delete;

  void add(std::span<const float> values);
  /// As `sha256` of all that was added, once. Errors: internal (the library failed).
  Result<std::string> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256, as 64 lower-case hexadecimal digits, over the float32 little-endian values: of a
/// model's parameters in model order this is `parameters_sha256`, of a probe block's gradient it
/// tells whether two workers compute alike. Errors: internal (the library failed).
Result<std::string> sha256(std::span<const float> values);

}  // namespace slime::trainer

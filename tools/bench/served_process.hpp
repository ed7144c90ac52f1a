#pragma once

#include <sys/types.h>

#include <string>

namespace slime::bench {

/// This program in a second process, serving one carrier. Ends with the object.
class ServedProcess {
 public:
  /// Throws std::runtime_error when it does not come up.
  ServedProcess(const std::string& carrier, const std::string& endpoint);
  ~ServedProcess();
  ServedProcess(const ServedProcess&) = delete;
  ServedProcess& operator=(const ServedProcess&) = delete;

  /// What it announced.
  const std::string& endpoint() const { return endpoint_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  std::string endpoint_;
};

}  // namespace slime::bench

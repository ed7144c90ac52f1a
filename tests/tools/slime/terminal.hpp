#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "tools/slime/commands.hpp"

namespace slime::tests {

/// Runs commands in this process, as `main` does, and keeps what the last one printed.
struct Terminal {
  std::ostringstream out, err;
  tools::Environment environment;

  tools::ExitCode run(const std::vector<std::string>& words) {
    out.str("");
    err.str("");
    return tools::run_command(words, {out, err, environment});
  }
  bool says(std::string_view text) const { return out.str().find(text) != std::string::npos; }
  bool complains(std::string_view text) const { return err.str().find(text) != std::string::npos; }
};

}  // namespace slime::tests

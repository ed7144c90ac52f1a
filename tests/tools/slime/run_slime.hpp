#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/support/build_places.hpp"
#include "tests/support/temp_dir.hpp"

namespace slime::tests {

/// What the real program printed and how it ended.
struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs build/<preset>/bin/slime through the shell; `arguments` may hold redirections and pipes.
inline Outcome run_slime(const std::string& arguments, const std::string& environment = "") {
  const TempDir folder;
  const std::string command = "(" + environment + " " SLIME_BINARY_DIR "/bin/slime " + arguments +
                              ") >" + (folder.path() / "out").string() + " 2>" +
                              (folder.path() / "err").string();
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

}  // namespace slime::tests

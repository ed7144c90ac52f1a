#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "tools/slime/commands.hpp"

namespace {

slime::tools::Environment read_environment() {
  slime::tools::Environment environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string variable = *entry;
    const std::size_t equals = variable.find('=');
    if (equals != std::string::npos)
      environment.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return environment;
}

/// Whether standard output is a pipe or socket that nobody reads any more.
bool reader_is_gone() {
  pollfd descriptor{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&descriptor, 1, 0) == 1 && (descriptor.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away (`slime … | head`) must not kill a head node in the middle of its work.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const slime::tools::Environment environment = read_environment();
  const int code =
      static_cast<int>(slime::tools::run_command(arguments, {std::cout, std::cerr, environment}));
  if (std::cout.flush()) return code;
  if (reader_is_gone()) return 128 + SIGPIPE;
  std::cerr << "slime: writing to standard output failed; is the disk full?\n";
  return code == 0 ? static_cast<int>(slime::tools::ExitCode::failure) : code;
}

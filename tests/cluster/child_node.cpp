#include "tests/cluster/child_node.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace slime::tests {

ChildNode::ChildNode(const std::string& name, const std::string& role,
                     const std::filesystem::path& log, const std::string& head,
                     const std::string& listen, const std::vector<std::string>& more)
    : log_(log) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "making a pipe");
  output_ = pipe[0];
  std::vector<std::string> words{SLIME_TEST_NODE, name, listen, role};
  if (!head.empty()) words.push_back(head);
  words.insert(words.end(), more.begin(), more.end());
  process_.emplace(std::move(words), environment_without({}), SpawnedProcess::Output{{}, pipe[1]},
                   SpawnedProcess::Output{log_, -1});
  ::close(pipe[1]);
}

ChildNode::~ChildNode() {
  ::close(output_);
}

std::optional<std::string> ChildNode::ready() {
  std::string line;
  char byte = 0;
  while (::read(output_, &byte, 1) == 1 && byte != '\n') line += byte;
  if (!line.starts_with("ready ")) return std::nullopt;
  return line.substr(6);
}

}  // namespace slime::tests

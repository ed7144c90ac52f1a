#include "tools/bench/training_run.hpp"

#include <capnp/compat/json.h>
#include <capnp/message.h>
#include <kj/exception.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/slime/child_process.hpp"

namespace slime::bench {

namespace {

std::optional<capnp::json::Value::Reader> field(capnp::json::Value::Reader object,
                                                const std::string& name) {
  if (!object.isObject()) return std::nullopt;
  for (const auto member : object.getObject())
    if (member.getName() == name.c_str()) return member.getValue();
  return std::nullopt;
}

std::optional<double> number(std::optional<capnp::json::Value::Reader> value) {
  if (!value || !value->isNumber()) return std::nullopt;
  return value->getNumber();
}

std::optional<double> first_target(capnp::json::Value::Reader result) {
  const auto targets = field(result, "time_to_accuracy");
  if (!targets || !targets->isObject() || targets->getObject().size() == 0) return std::nullopt;
  return number(targets->getObject()[0].getValue());
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? -1 : begin));
}

bool has_argument(const std::filesystem::path& process, const std::string& name) {
  std::ifstream file(process / "cmdline");
  std::string argument;
  while (std::getline(file, argument, '\0'))
    if (argument == name) return true;
  return false;
}

}  // namespace

Result<TrainingResult> parse_result(const std::string& line) {
  const std::string context = "reading what a run ended with, \"" + line.substr(0, 200) + "\": ";
  try {
    capnp::MallocMessageBuilder message;
    const auto root = message.initRoot<capnp::json::Value>();
    capnp::JsonCodec().decodeRaw(kj::arrayPtr(line.data(), line.size()), root);
    const auto result = root.asReader();
    const auto ok = field(result, "ok");
    if (!ok || !ok->isBoolean() || !ok->getBoolean())
      return Error{Errc::invalid_argument, context + "it did not end well"};
    const auto seconds = number(field(result, "seconds"));
    const auto accuracy = number(field(result, "test_accuracy"));
    if (!seconds || !accuracy)
      return Error{Errc::invalid_argument, context + "seconds or test_accuracy is missing"};
    return TrainingResult{*seconds, *accuracy, first_target(result),
                          number(field(result, "makespan_ratio"))};
  } catch (const kj::Exception& e) {
    return Error{Errc::invalid_argument, context + e.getDescription().cStr()};
  }
}

Result<TrainingResult> run_training(const std::vector<std::string>& command, Duration limit,
                                    const std::function<void(pid_t)>& meanwhile) {
  const Instant deadline = monotonic_now() + limit;
  auto child = tools::ChildProcess::start({"training", command, ""});
  if (!child) return child.error();
  std::string text;
  std::array<char, 65536> buffer;
  std::optional<tools::ProcessExit> exit;
  while (!exit) {
    if (monotonic_now() > deadline)
      return Error{Errc::timeout, "running " + command.front() + ": it had not ended after " +
                                      std::to_string(to_seconds(limit)) +
                                      " s and was killed; its last words: " + last_line(text)};
    std::array<pollfd, 2> wanted{pollfd{child->output(), POLLIN, 0},
                                 pollfd{child->ended(), POLLIN, 0}};
    ::poll(wanted.data(), wanted.size(), 100);
    // Before the exit is looked for, so that what it said last is read.
    const bool over = (wanted[1].revents & POLLIN) != 0;
    for (ssize_t got = 1; got > 0;) {
      got = ::read(child->output(), buffer.data(), buffer.size());
      if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    // Only the end matters.
    if (text.size() > (std::size_t{1} << 20)) text.erase(0, text.size() / 2);
    if (over)
      exit = child->reap();
    else if (!text.empty())
      meanwhile(child->pid());
  }
  const std::string line = last_line(text);
  if (exit->by_signal || exit->number != 0)
    return Error{Errc::internal, "running " + command.front() + ": it ended with " +
                                     tools::to_string(*exit) + ": " + line};
  return parse_result(line);
}

std::optional<pid_t> find_child(pid_t parent, const std::string& name) {
  const auto process = std::filesystem::path("/proc") / std::to_string(parent);
  std::error_code gone;
  std::filesystem::directory_iterator thread(process / "task", gone);
  for (; !gone && thread != std::filesystem::directory_iterator(); thread.increment(gone)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;)
      if (has_argument(std::filesystem::path("/proc") / std::to_string(child), name)) return child;
  }
  return std::nullopt;
}

}  // namespace slime::bench

#include "actors/training/job_names.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace slime::actors {

namespace {

constexpr std::size_t run_digits = 16;
constexpr std::string_view digits = "0123456789abcdef";
constexpr std::string_view kinds[] = {"adviser", "checkpointer", "copier",
                                      "shard",   "standby",      "worker"};

std::string text_of(RunId run) {
  char text[run_digits + 1];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(run));
  return text;
}

}  // namespace

JobNames::JobNames(const std::string& job, RunId run)
    : prefix_("job/" + job + "/"), own_prefix_(prefix_ + text_of(run) + "/") {}

std::optional<JobNames::Parts> JobNames::parts_of(std::string_view name) const {
  if (!name.starts_with(prefix_)) return std::nullopt;
  const bool own = name.starts_with(own_prefix_);
  name.remove_prefix(prefix_.size());
  const std::string_view run = name.substr(0, name.find('/'));
  const bool is_run = std::ranges::all_of(
      run, [](char letter) { return digits.find(letter) != std::string_view::npos; });
  if (run.size() != run_digits || !is_run || run.size() == name.size()) return std::nullopt;
  name.remove_prefix(run.size() + 1);
  const std::size_t end = name.find('/');
  const std::string_view kind = name.substr(0, end);
  if (end == std::string_view::npos || std::ranges::find(kinds, kind) == std::end(kinds))
    return std::nullopt;
  return Parts{own, std::string(kind), std::string(name.substr(end + 1))};
}

}  // namespace slime::actors

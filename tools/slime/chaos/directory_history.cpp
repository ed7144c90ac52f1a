#include "tools/slime/chaos/directory_history.hpp"

#include <fmt/format.h>

namespace slime::tools {

namespace {

std::string told(const ActorAddress& actor) {
  return fmt::format("{} of incarnation {}", to_string(actor), actor.incarnation);
}

bool is_later(const ActorAddress& one, const ActorAddress& other) {
  return std::pair(one.incarnation, one.number) > std::pair(other.incarnation, other.number);
}

}  // namespace

void DirectoryHistory::saw(std::span<const Binding> listing) {
  ++looks_;
  for (const auto& [text, holder] : listing) bound(text, holder);
}

void DirectoryHistory::bound(const std::string& text, const ActorAddress& holder) {
  Name& name = names_[text];
  if (name.seen == looks_)
    return violated(fmt::format("{} has two holders at once, {} and {}", text, told(*name.holder),
                                told(holder)));
  name.seen = looks_;
  if (name.holder == holder) return;
  if (name.holder) {
    ++moves_;
    name.former.insert(*name.holder);
  }
  if (name.former.contains(holder))
    violated(fmt::format("{} went back to {}, which it had left", text, told(holder)));
  const auto newest = name.newest.find(holder.node);
  if (newest != name.newest.end() && !is_later(holder, newest->second))
    violated(
        fmt::format("{} went from {} to the older {}", text, told(newest->second), told(holder)));
  name.newest[holder.node] = holder;
  name.holder = holder;
}

void DirectoryHistory::violated(std::string what) {
  if (!violation_) violation_ = fmt::format("look {}: {}", looks_, what);
}

}  // namespace slime::tools

#include "runtime/base/process_stat.hpp"

#include <sstream>

namespace slime {

std::optional<ProcessStat> parse_process_stat(const std::string& text) {
  // The second field, the program's name, may hold spaces and parentheses.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  const auto skip = [&fields](int from, int to) {
    std::string skipped;
    for (int field = from; field <= to; ++field) fields >> skipped;
  };
  ProcessStat stat;
  std::uint64_t user = 0, system = 0;
  fields >> stat.state;
  skip(4, 13);
  fields >> user >> system;
  skip(16, 21);
  fields >> stat.start_ticks;
  stat.cpu_ticks = user + system;
  return fields ? std::optional(stat) : std::nullopt;
}

}  // namespace slime

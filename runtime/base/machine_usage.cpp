#include "runtime/base/machine_usage.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "runtime/base/process_stat.hpp"

namespace slime {

namespace {

// What the kernel counts in for programs (USER_HZ), whatever it counts in itself.
constexpr double ticks_per_s = 100;

Error odd(const char* file) {
  return Error{Errc::corruption, std::string("reading /proc/") + file + ": it is not as expected"};
}

Status read_file(const char* file, std::string& text) {
  std::ifstream in(std::string("/proc/") + file);
  text.assign(std::istreambuf_iterator<char>(in), {});
  if (!in.bad() && !text.empty()) return ok();
  return Error{Errc::io_error, std::string("reading /proc/") + file + ": it cannot be read"};
}

/// "VmRSS:     1234 kB", on a line of its own.
bool parse_resident(const std::string& text, std::uint64_t& kib) {
  const std::string_view name = "\nVmRSS:";
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return false;
  std::istringstream rest(text.substr(at + name.size()));
  std::string unit;
  rest >> kib >> unit;
  return unit == "kB";
}

/// "cpu user nice system idle iowait irq softirq steal guest …"; guests are in user already.
bool parse_machine(const std::string& text, MachineUsage& usage) {
  std::istringstream line(text.substr(0, text.find('\n')));
  std::string name;
  line >> name;
  std::uint64_t ticks = 0;
  constexpr int steal = 8;
  for (int field = 1; field <= steal; ++field) {
    line >> ticks;
    usage.machine_ticks += ticks;
  }
  usage.steal_ticks = ticks;
  return name == "cpu" && bool(line);
}

}  // namespace

Result<MachineUsage> parse_usage(const ProcTexts& texts) {
  MachineUsage usage;
  const auto process = parse_process_stat(texts.self_stat);
  if (!process) return odd("self/stat");
  usage.cpu_s = static_cast<double>(process->cpu_ticks) / ticks_per_s;
  std::uint64_t resident_kib = 0;
  if (!parse_resident(texts.self_status, resident_kib)) return odd("self/status");
  usage.memory_bytes = resident_kib * 1024;
  if (!parse_machine(texts.stat, usage)) return odd("stat");
  // "0.20 0.18 0.12 1/80 11206".
  double load = 0;
  if (!(std::istringstream(texts.loadavg) >> load >> load >> load >> usage.run_queue))
    return odd("loadavg");
  return usage;
}

Result<MachineUsage> read_usage() {
  ProcTexts texts;
  for (const auto& [file, text] :
       {std::pair<const char*, std::string*>{"self/stat", &texts.self_stat},
        {"self/status", &texts.self_status},
        {"stat", &texts.stat},
        {"loadavg", &texts.loadavg}})
    if (const Status read = read_file(file, *text); !read) return read.error();
  return parse_usage(texts);
}

}  // namespace slime

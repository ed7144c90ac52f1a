#include "trainer/compute/backends.hpp"

#include <array>
#include <vector>

#include "trainer/compute/cpu_backend.hpp"
#include "trainer/names/named_list.hpp"
#include "trainer/names/unknown_name.hpp"

namespace slime::trainer {

namespace {

Result<std::unique_ptr<Backend>> no_cuda() {
  return Error{Errc::invalid_argument,
               "device \"cuda\": this program was built without CUDA; use \"cpu\" or \"auto\""};
}

Result<std::unique_ptr<Backend>> cpu() {
  return make_cpu_backend();
}

struct Entry {
  std::string_view name;
  Result<std::unique_ptr<Backend>> (*make)();
};

constexpr std::array entries{
    Entry{"cuda", no_cuda},
    Entry{"cpu", cpu},
};
constexpr auto names = names_of(entries);

}  // namespace

std::span<const std::string_view> backend_names() {
  return names;
}

Result<std::unique_ptr<Backend>> make_backend(std::string_view name) {
  if (name == "auto") {
    for (const Entry& entry : entries)
      if (auto backend = entry.make()) return backend;
    return Error{Errc::invalid_argument, "device \"auto\": no backend works on this machine"};
  }
  if (const Entry* entry = find_named(entries, name)) return entry->make();
  std::vector<std::string_view> known(names.begin(), names.end());
  known.push_back("auto");
  return unknown_name("device", name, known);
}

}  // namespace slime::trainer

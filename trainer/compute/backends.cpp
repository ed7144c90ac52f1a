#include "trainer/compute/backends.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "trainer/compute/cpu_backend.hpp"
#include "trainer/names/unknown_name.hpp"

namespace slime::trainer {

namespace {

Result<std::unique_ptr<Backend>> no_cuda() {
  return Error{Errc::unavailable,
               "device \"cuda\": this program was built without CUDA; use \"cpu\" or \"auto\""};
}

Result<std::unique_ptr<Backend>> cpu() {
  return make_cpu_backend();
}

constexpr std::array<std::string_view, 2> names{"cuda", "cpu"};
constexpr std::array makers{no_cuda, cpu};
static_assert(names.size() == makers.size());

}  // namespace

std::span<const std::string_view> backend_names() {
  return names;
}

Result<std::unique_ptr<Backend>> make_backend(std::string_view name) {
  if (name == "auto") {
    for (const auto make : makers)
      if (auto backend = make()) return backend;
    return Error{Errc::unavailable, "device \"auto\": no backend works on this machine"};
  }
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return makers[static_cast<std::size_t>(found - names.begin())]();
  std::vector<std::string_view> known(names.begin(), names.end());
  known.push_back("auto");
  return unknown_name("device", name, known);
}

}  // namespace slime::trainer

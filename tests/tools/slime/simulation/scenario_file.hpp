#pragma once

#include <string>
#include <vector>

#include "tests/support/temp_dir.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/simulation/scenario.hpp"

namespace slime::tests {

/// A small sound scenario in a file, and what a text makes of it.
struct ScenarioFile : TempDir {
  static constexpr const char* sound =
      "workers = 4\niterations = 12\nbatch = 64\n[[runs]]\npolicy = \"adapt_fr\"\n";

  Result<runtime::Message<schema::Scenario>> load(const std::string& text,
                                                  const std::vector<std::string>& sets = {}) const {
    return tools::load_scenario(write("s.toml", text), sets, tools::known_names());
  }
  /// Why it is refused; empty when it is not.
  std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) const {
    const auto scenario = load(text, sets);
    return scenario ? "" : scenario.error().context;
  }
};

}  // namespace slime::tests

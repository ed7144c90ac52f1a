#include "tools/slime/simulation/scenario.hpp"

#include "tools/slime/settings/sources.hpp"
#include "tools/slime/simulation/scenario_rules.hpp"

namespace slime::tools {

namespace {

/// What must stand in a scenario file.
constexpr FileKind scenario_file{"scenario", "one [[runs]] (tools/scenarios/ has examples)"};

}  // namespace

Result<runtime::Message<schema::Scenario>> load_scenario(const std::filesystem::path& file,
                                                         std::span<const std::string> sets,
                                                         const KnownNames& known) {
  Status status = ok();
  Origins origins;
  auto scenario = runtime::Message<schema::Scenario>::make([&](schema::Scenario::Builder root) {
    status = apply_file(capnp::toDynamic(root), file, scenario_file, origins);
    for (const std::string& set : sets)
      if (status) status = apply_set(capnp::toDynamic(root), set, origins);
    if (!status) return;
    if (root.getName().size() == 0) root.setName(file.stem().string());
    status = check_scenario(root.asReader(), known, origins);
  });
  if (!status) return status.error();
  return scenario;
}

}  // namespace slime::tools

#include "tools/slime/schema_check.hpp"

#include <fmt/format.h>

#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/schema/schema_change.hpp"
#include "tools/slime/schema/schema_source.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "schema check";

std::string line(const SchemaChange& change) {
  const std::string dot = change.type.empty() || change.field.empty() ? "" : ".";
  const std::string place = change.type + dot + change.field;
  return fmt::format("{}{}{}", place, place.empty() ? "" : ": ", change.what);
}

std::string text(const SchemaComparison& found) {
  std::string all;
  for (const SchemaChange& change : found.broken)
    all += fmt::format("{}\n    {}\n", line(change), change.remedy);
  for (const SchemaChange& change : found.renamed)
    all +=
        fmt::format("{} (messages do not hold names; JSON and settings files do)\n", line(change));
  if (found.compatible()) return all + fmt::format("compatible: {} types\n", found.types);
  return all +
         fmt::format("incompatible: {} changes in {} types\n", found.broken.size(), found.types);
}

std::string json_list(const std::vector<SchemaChange>& changes) {
  std::string all;
  for (const SchemaChange& change : changes) {
    JsonObject object;
    object.text("type", change.type)
        .text("id", fmt::format("0x{:016x}", change.id))
        .text("field", change.field)
        .text("change", change.what);
    if (!change.remedy.empty()) object.text("remedy", change.remedy);
    all += (all.empty() ? "" : ",") + object.str();
  }
  return "[" + all + "]";
}

}  // namespace

ExitCode run_schema_check(std::span<const std::string> arguments, const Console& console) {
  std::string older;
  std::string newer;
  std::vector<std::string> imports;
  bool json = false;
  CLI::App parser(
      "Compares two versions of a Cap'n Proto schema. Ends with 0 if programs of either understand "
      "what those of the other say and keep, and with 10 if not, with each change that is to "
      "blame and what to do instead. What kept states need beyond that, an upcaster can do.");
  parser.add_option("OLD", older, "a .capnp file")->type_name("FILE")->required();
  parser.add_option("NEW", newer, "the same, after the change")->type_name("FILE")->required();
  parser
      .add_option("--import", imports,
                  "folder of what is imported with a \"/\" in front; those that a file is in are "
                  "known, and /usr/include")
      ->type_name("DIR")
      ->allow_extra_args(false);
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto before = SchemaSource::read(older, imports);
  if (!before) return report(console, command, before.error(), json);
  const auto after = SchemaSource::read(newer, imports);
  if (!after) return report(console, command, after.error(), json);
  const SchemaComparison found = compare_schemas(before->root(), after->root());
  if (json)
    console.out << JsonObject()
                       .boolean("ok", found.compatible())
                       .number("types", found.types)
                       .raw("incompatible", json_list(found.broken))
                       .raw("renamed", json_list(found.renamed))
                       .str()
                << '\n';
  else
    console.out << text(found);
  return found.compatible() ? ExitCode::ok : ExitCode::incompatible;
}

}  // namespace slime::tools

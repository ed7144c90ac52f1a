#include "tools/slime/settings/job_settings.hpp"

#include <capnp/dynamic.h>
#include <fmt/format.h>

#include <cctype>
#include <string_view>
#include <vector>

#include "tools/slime/nearest_word.hpp"
#include "tools/slime/settings/assign.hpp"
#include "tools/slime/settings/setting.hpp"
#include "tools/slime/settings/toml_text.hpp"

namespace slime::tools {

namespace {

using JobBuilder = capnp::DynamicStruct::Builder;

Error refused(const Origin& origin, std::string_view why) {
  return {Errc::invalid_argument, fmt::format("{}: {}", position(origin), why)};
}

/// `text` as a table with one "value" of the kind the setting wants. On a command line the shell
/// has eaten the quotes, so a text or a choice may come without.
Result<toml::table> parse_value(const Setting& setting, const std::string& text,
                                const Origin& origin) {
  const capnp::Type type = setting.field.getType();
  const bool quoted = text.starts_with('"') || text.starts_with('\'');
  if ((type.isText() || type.isEnum()) && !quoted) return toml::table{{"value", text}};
  auto parsed = parse_toml_value(text);
  if (parsed) return parsed;
  // A bare word is well understood as a text; that the setting wants a number is the better
  // message.
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())))
    return toml::table{{"value", text}};
  return refused(origin, fmt::format("the value of {} cannot be read: {}", setting.name,
                                     parsed.error().context));
}

/// Sets what the dotted `name` under `job` says to the value written in `text`.
Status assign_text(JobBuilder job, std::string_view name, const std::string& text, Origin origin,
                   Origins& origins) {
  Assigner assigner(job.getSchema(), origin, origins);
  JobBuilder target = job;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t dot = name.find('.', begin);
    const std::string_view prefix = name.substr(0, begin);
    const std::string_view key = name.substr(begin, dot - begin);
    const auto setting = find_setting(target.getSchema(), prefix, key);
    if (!setting) return assigner.unknown(target.getSchema(), prefix, key, origin);
    if (dot == std::string_view::npos) {
      auto value = parse_value(*setting, text, origin);
      if (!value) return value.error();
      return assigner.field(target, *setting, *value->get("value"));
    }
    if (!setting->is_group())
      return refused(origin, fmt::format("{} has no parts: set it as a whole", setting->name));
    target = target.get(setting->field).as<capnp::DynamicStruct>();
    begin = dot + 1;
  }
}

Status apply_file(JobBuilder job, const std::filesystem::path& file, Origins& origins) {
  const auto values = read_toml_file(file);
  if (!values) return values.error();
  Origin origin{Origin::Source::file, file.string(), 0, 0};
  return Assigner(job.getSchema(), std::move(origin), origins).table(job, *values, "");
}

/// A misspelt variable would be ignored in silence, so one that is a single edit from a setting's
/// is refused; others with our prefix belong to somebody else (Kubernetes sets SLIME_PORT and such
/// when a service is called slime).
Status refuse_misspelt(const Environment& environment, const std::vector<Setting>& settings) {
  for (auto entry = environment.lower_bound("SLIME_"); entry != environment.end(); ++entry) {
    if (!entry->first.starts_with("SLIME_")) break;
    std::string nearest;
    for (const Setting& setting : settings) {
      const std::size_t distance = edit_distance(entry->first, setting.variable());
      if (distance == 1) nearest = setting.variable();
      if (distance == 0) {
        nearest.clear();
        break;
      }
    }
    if (!nearest.empty())
      return Error{
          Errc::invalid_argument,
          fmt::format("environment: {} is no setting; did you mean {}?", entry->first, nearest)};
  }
  return ok();
}

Status apply_environment(JobBuilder job, const Environment& environment, Origins& origins) {
  const std::vector<Setting> settings = all_settings(job.getSchema());
  for (const Setting& setting : settings) {
    const auto found = environment.find(setting.variable());
    // An empty variable counts as absent: scripts blank what they cannot unset.
    if (found == environment.end() || found->second.empty()) continue;
    Origin origin{Origin::Source::environment, found->first, 0, 0};
    Status done = assign_text(job, setting.name, found->second, std::move(origin), origins);
    if (!done) return done;
  }
  return refuse_misspelt(environment, settings);
}

Status apply_set(JobBuilder job, const std::string& set, Origins& origins) {
  const std::size_t equals = set.find('=');
  Origin origin{Origin::Source::flag, "--set " + set.substr(0, equals), 0, 0};
  if (equals == std::string::npos || equals == 0)
    return refused(origin,
                   fmt::format("NAME=VALUE is wanted, such as sync.mode=bsp; found \"{}\"", set));
  return assign_text(job, std::string_view(set).substr(0, equals), set.substr(equals + 1),
                     std::move(origin), origins);
}

Status apply(JobBuilder job, const SettingSources& sources, Origins& origins) {
  if (sources.file)
    if (Status done = apply_file(job, *sources.file, origins); !done) return done;
  if (Status done = apply_environment(job, sources.environment, origins); !done) return done;
  for (const std::string& set : sources.sets)
    if (Status done = apply_set(job, set, origins); !done) return done;
  return ok();
}

}  // namespace

Result<JobSettings> read_settings(const SettingSources& sources) {
  JobSettings settings;
  Status status = ok();
  settings.job = runtime::Message<schema::JobSpec>::make([&](schema::JobSpec::Builder job) {
    status = apply(capnp::toDynamic(job), sources, settings.origins);
  });
  if (!status) return status.error();
  return settings;
}

Result<JobSettings> load_job(const SettingSources& sources, const KnownNames& known) {
  auto settings = read_settings(sources);
  if (!settings) return settings;
  const Status sound = settings->job.read(
      [&](schema::JobSpec::Reader job) { return check_job(job, known, settings->origins); });
  if (!sound) return sound.error();
  return settings;
}

}  // namespace slime::tools

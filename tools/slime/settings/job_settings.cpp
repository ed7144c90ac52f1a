#include "tools/slime/settings/job_settings.hpp"

#include <capnp/dynamic.h>
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "tools/slime/nearest_word.hpp"
#include "tools/slime/settings/setting.hpp"
#include "tools/slime/settings/sources.hpp"

namespace slime::tools {

namespace {

using JobBuilder = capnp::DynamicStruct::Builder;

/// What must stand in a job file.
constexpr FileKind job_file{"job",
                            "a name, layers and data (slime config show lists all settings)"};

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

Status apply(JobBuilder job, const SettingSources& sources, Origins& origins) {
  if (sources.file)
    if (Status done = apply_file(job, *sources.file, job_file, origins); !done) return done;
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

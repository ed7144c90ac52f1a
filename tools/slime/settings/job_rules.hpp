#pragma once

#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "schemas/job.capnp.h"
#include "tools/slime/settings/origin.hpp"

namespace slime::tools {

/// The words a job may use where its schema says only Text: what this build and its plugins offer.
/// Views live as long as the lists they come from.
struct KnownNames {
  std::vector<std::string_view> modes;
  std::vector<std::string_view> policies;
  std::vector<std::string_view> optimizers;
  std::vector<std::string_view> formats;
  std::vector<std::string_view> layers;
};

/// Accuracies whose time a job reports; a table has a line for each.
inline constexpr unsigned targets_max = 16;

/// Whether settings that are each of the right type make a job together. The first rule that is
/// broken is reported, with the place that set the offending value.
/// Errors: invalid_argument.
Status check_job(schema::JobSpec::Reader job, const KnownNames& known, const Origins& origins);

}  // namespace slime::tools

#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/console.hpp"
#include "tools/slime/exchange/tensor_file.hpp"
#include "tools/slime/exit_code.hpp"
#include "tools/slime/local_run.hpp"

namespace slime::tools {

/// How a job is to begin with tensors from elsewhere, as its commands are told.
struct JobBeginning {
  std::filesystem::path directory;  ///< Of the job's stores; made if need be.
  std::filesystem::path job;
  std::vector<std::string> sets;
  std::vector<std::string> maps;
  std::vector<std::string> only;
  std::string node = LocalRun::head_name;
  bool allow_missing = false;
  bool json = false;
};

/// Where those tensors come from.
struct TensorSource {
  std::string_view kind;  ///< "file" or "checkpoint"; for people.
  std::string name;       ///< For people.
  std::function<Result<std::unique_ptr<TensorFileReader>>()> open;
};

/// Declares what the commands have in common: the directory, and all flags. The first position is
/// the source's.
void declare_job_beginning(CLI::App& parser, JobBeginning& options);

/// Makes the first checkpoint of a job from tensors of `source`, which are read whole and checked
/// before anything is written, and tells of it. Blocks on the disk.
/// Exit codes: ok, not_found, usage (they do not fit the job), conflict (a process writes to the
/// store), corrupt, failure.
ExitCode begin_job(const Console& console, std::string_view command, const JobBeginning& options,
                   const TensorSource& source);

}  // namespace slime::tools

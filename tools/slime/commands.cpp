#include "tools/slime/commands.hpp"

#include <fmt/format.h>

#include <vector>

#include "tools/slime/chaos.hpp"
#include "tools/slime/checkpoint_copy.hpp"
#include "tools/slime/checkpoint_diff.hpp"
#include "tools/slime/checkpoint_export.hpp"
#include "tools/slime/checkpoint_import.hpp"
#include "tools/slime/checkpoint_list.hpp"
#include "tools/slime/checkpoint_pin.hpp"
#include "tools/slime/checkpoint_prune.hpp"
#include "tools/slime/checkpoint_restore.hpp"
#include "tools/slime/checkpoint_show.hpp"
#include "tools/slime/checkpoint_verify.hpp"
#include "tools/slime/compare.hpp"
#include "tools/slime/config_show.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/nearest_word.hpp"
#include "tools/slime/report.hpp"
#include "tools/slime/schema_check.hpp"
#include "tools/slime/simulate.hpp"
#include "tools/slime/start.hpp"
#include "tools/slime/status.hpp"
#include "tools/slime/stop.hpp"
#include "tools/slime/train.hpp"

namespace slime::tools {

namespace {

constexpr Command all[] = {
    {"train",
     "JOB.toml [--set NAME=VALUE]... [--resume[=ITERATION | best | PATH]] [--record FILE] [--json] "
     "[--address ADDRESS [--attach]]",
     "train a model, on this machine or on a cluster", run_train},
    {"start",
     "--head | --join ADDRESS [--role ROLE]... [--listen ENDPOINT]... [--metrics HOST:PORT]",
     "run a node of a cluster in the foreground", run_start},
    {"status", "[--session DIR | --address ADDRESS] [--json]",
     "list a cluster's members, supervised actors and jobs", run_status},
    {"stop", "[--session DIR] [--json]", "end the cluster on this machine", run_stop},
    {"checkpoint list", "DIRECTORY | JOB.toml [--json]", "list a job's checkpoints and verify them",
     run_checkpoint_list},
    {"checkpoint export",
     "DIRECTORY | JOB.toml[@ITERATION] FILE [--only GLOB]... [--slots] [--force] [--json]",
     "write a checkpoint's tensors to a .safetensors or .npz file", run_checkpoint_export},
    {"checkpoint import",
     "FILE DIRECTORY --job JOB.toml [--map FROM=TO]... [--only GLOB]... [--allow-missing] [--json]",
     "make a checkpoint of such a file, for slime train --resume", run_checkpoint_import},
    {"checkpoint restore",
     "DIRECTORY | JOB.toml[@ITERATION] DIRECTORY --job JOB.toml [--map FROM=TO]... [--only "
     "GLOB]... "
     "[--allow-missing] [--slots] [--json]",
     "begin a job with tensors of another job's checkpoint", run_checkpoint_restore},
    {"checkpoint show", "DIRECTORY | JOB.toml [ITERATION | newest | best] [--json]",
     "tell what one checkpoint holds", run_checkpoint_show},
    {"checkpoint verify", "DIRECTORY | JOB.toml [ITERATION | newest | best] [--json]",
     "read checkpoints whole and tell what of them is damaged", run_checkpoint_verify},
    {"checkpoint diff", "A B [--json]",
     "compare the parameters of two checkpoints, each DIRECTORY | JOB.toml[@ITERATION]",
     run_checkpoint_diff},
    {"checkpoint copy", "DIRECTORY | JOB.toml[@ITERATION] DIRECTORY [--node NAME] [--json]",
     "copy a checkpoint to a second place", run_checkpoint_copy},
    {"checkpoint pin", "DIRECTORY | JOB.toml[@ITERATION] [--json]",
     "keep a checkpoint from being removed", run_checkpoint_pin},
    {"checkpoint unpin", "DIRECTORY | JOB.toml[@ITERATION] [--json]", "give that up",
     run_checkpoint_unpin},
    {"checkpoint prune",
     "DIRECTORY | JOB.toml [--keep COUNT] [--keep-best COUNT] [--keep-every ITERATIONS] "
     "[--dry-run] [--json]",
     "remove the checkpoints that no rule wants", run_checkpoint_prune},
    {"simulate", "SCENARIO.toml [--set NAME=VALUE]... [--json]",
     "run a job's actors in virtual time, once for each mode and policy", run_simulate},
    {"chaos",
     "JOB.toml [--seed N] [--faults NAME,...] [--targets NAME,...] [--count N] [--expect SHA256] "
     "[--json]",
     "train a job while killing and stopping its processes, and check what must hold", run_chaos},
    {"report", "RUN... [--output FILE] [--json]", "draw what runs did, as one HTML page",
     run_report},
    {"compare", "RUN RUN... [--json]", "lay runs side by side", run_compare},
    {"schema check", "OLD.capnp NEW.capnp [--import DIR]... [--json]",
     "tell whether two versions of a schema understand each other", run_schema_check},
    {"config show", "[JOB.toml] [--set NAME=VALUE]... [--origin] [--json]",
     "list every setting of a job, its value and where that came from", run_config_show},
};

void print_help(std::ostream& out) {
  out << "slime runs training jobs on machines of unequal speed.\n\n"
         "usage: slime COMMAND [ARGUMENTS]\n"
         "       slime --help | --version\n\ncommands:\n";
  for (const Command& command : all)
    out << fmt::format("  {} {}\n      {}\n", command.name, command.usage, command.purpose);
  out << "\nslime COMMAND --help tells what a command takes. Data goes to standard output, "
         "messages "
         "to\nstandard error; --json makes the data one JSON object a line. Exit codes: 0 done, 1 "
         "failed,\n2 wrong command line or settings, 3 some targets failed, 4 not found, 5 "
         "conflict, 6 deadline,\n7 unreachable, 8 not ready, 9 corrupt data, 10 incompatible, 11 "
         "denied, 75 try again.\n";
}

void print_version(std::ostream& out, bool json) {
  if (json)
    out << JsonObject().text("schema", "slime.v1").text("version", SLIME_VERSION).str() << '\n';
  else
    out << "slime " SLIME_VERSION "\n";
}

/// How many of the first arguments are the name of `command`; 0: it is another one.
std::size_t words_matched(const Command& command, std::span<const std::string> arguments) {
  std::size_t count = 0;
  std::string_view rest = command.name;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (count >= arguments.size() || arguments[count] != word) return 0;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    ++count;
  }
  return count;
}

ExitCode refuse(std::span<const std::string> arguments, const Console& console) {
  // As much of the line as can belong to a name is compared with each of them.
  std::string typed = arguments[0];
  if (arguments.size() > 1 && !arguments[1].starts_with('-')) typed += " " + arguments[1];
  std::vector<std::string_view> names{"--help", "--version"};
  for (const Command& command : all) names.push_back(command.name);
  std::string advice = suggestion(nearest_word(typed, names) ? typed : arguments[0], names);
  for (const std::string_view name : names)
    if (name.starts_with(arguments[0] + " ")) advice = fmt::format("did you mean \"{}\"?", name);
  console.err << one_line(fmt::format("slime: there is no command \"{}\"; {} (slime --help)", typed,
                                      advice))
              << '\n';
  return ExitCode::usage;
}

}  // namespace

std::span<const Command> commands() {
  return all;
}

ExitCode run_command(std::span<const std::string> arguments, const Console& console) {
  if (arguments.empty()) {
    print_help(console.err);
    return ExitCode::usage;
  }
  const std::string& first = arguments[0];
  if (first == "--help" || first == "-h" || first == "help") {
    print_help(console.out);
    return ExitCode::ok;
  }
  if (first == "--version") {
    print_version(console.out, arguments.size() > 1 && arguments[1] == "--json");
    return ExitCode::ok;
  }
  for (const Command& command : all)
    if (const std::size_t words = words_matched(command, arguments))
      return command.run(arguments.subspan(words), console);
  return refuse(arguments, console);
}

}  // namespace slime::tools

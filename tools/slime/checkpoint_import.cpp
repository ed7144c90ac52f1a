#include "tools/slime/checkpoint_import.hpp"

#include <filesystem>

#include "tools/slime/arguments.hpp"
#include "tools/slime/exchange/tensor_file_formats.hpp"
#include "tools/slime/job_beginning.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint import";

}  // namespace

ExitCode run_checkpoint_import(std::span<const std::string> arguments, const Console& console) {
  std::filesystem::path file;
  JobBeginning options;
  CLI::App parser(
      "Makes a checkpoint of a file of tensors; slime train --resume then begins with them at\n"
      "iteration 0. The file is read whole and checked before anything is written.");
  parser.add_option("file", file, "its extension names the format")
      ->type_name("FILE.safetensors|FILE.npz")
      ->required();
  declare_job_beginning(parser, options);
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto format = tensor_file_format(file);
  if (!format) return report(console, command, format.error(), options.json);
  return begin_job(console, command, options,
                   {"file", file.string(), [&] { return (*format)->read(file); }});
}

}  // namespace slime::tools

#include "storage/store_format.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "storage/durable_file.hpp"
#include "storage/table_files.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view format_line = "slime store 1";

}  // namespace

Status check_format(const fs::path& folder) {
  const std::string attempted = "opening store " + folder.string();
  std::string line;
  std::ifstream file(folder / "FORMAT");
  std::getline(file, line);
  if (line.empty() && !table_files(folder).empty())
    return Error{Errc::corruption,
                 attempted + ": file FORMAT is missing or empty" + damaged_remedy};
  if (line.empty())
    return Error{Errc::not_found, attempted +
                                      ": the folder holds no store; check "
                                      "checkpoint.directory and the node's name"};
  if (line != format_line)
    return Error{Errc::incompatible, attempted + ": its FORMAT is \"" + line +
                                         "\" and this program's \"" + std::string(format_line) +
                                         "\"; use the version that wrote it"};
  if (!fs::exists(folder / "CURRENT"))
    return Error{Errc::corruption, attempted + ": file CURRENT is missing" + damaged_remedy};
  return ok();
}

Status mark_format(const fs::path& folder) {
  const fs::path path = folder / "FORMAT";
  if (fs::exists(path)) return ok();
  if (!write_durably(path, std::string(format_line) + "\n"))
    return Error{Errc::io_error, "writing " + path.string() + ": " + std::strerror(errno) +
                                     "; the folder must be writable and its disk not full"};
  return ok();
}

}  // namespace slime::storage

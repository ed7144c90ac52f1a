#include "tools/slime/chaos/record_tail.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "tools/slime/record/record_line.hpp"

namespace slime::tools {

Result<std::size_t> RecordTail::read(
    const std::function<Status(schema::RecordLine::Reader)>& take) {
  std::error_code absent;
  if (!std::filesystem::exists(file_, absent)) return std::size_t{0};
  std::ifstream in(file_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(at_));
  std::string fresh{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || !in.is_open())
    return Error{Errc::io_error, "reading the record " + file_.string() + ": it cannot be read"};
  at_ += fresh.size();
  rest_ += fresh;
  std::size_t taken = 0;
  std::size_t begin = 0;
  for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++lines_;
    const Status fine = read_record_line(std::string_view(rest_).substr(begin, end - begin), take);
    if (!fine)
      return Error{fine.error().code, fmt::format("reading the record {}, line {}: {}",
                                                  file_.string(), lines_, fine.error().context)};
    ++taken;
  }
  rest_.erase(0, begin);
  return taken;
}

}  // namespace slime::tools

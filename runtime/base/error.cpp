#include "runtime/base/error.hpp"

namespace slime {

std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
      return "invalid_argument";
    case Errc::not_found:
      return "not_found";
    case Errc::already_exists:
      return "already_exists";
    case Errc::unavailable:
      return "unavailable";
    case Errc::timeout:
      return "timeout";
    case Errc::overloaded:
      return "overloaded";
    case Errc::stale:
      return "stale";
    case Errc::corruption:
      return "corruption";
    case Errc::io_error:
      return "io_error";
    case Errc::refused:
      return "refused";
    case Errc::internal:
      return "internal";
    case Errc::incompatible:
      return "incompatible";
    case Errc::diverged:
      return "diverged";
  }
  return "unknown";
}

std::string to_string(const Error& error) {
  return std::string(to_string(error.code)) + ": " + error.context;
}

std::string shortened(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view ellipsis = "...";
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max - ellipsis.size();
  const auto continues = [&] { return (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; };
  while (end > 0 && continues()) --end;
  return std::string(text.substr(0, end)).append(ellipsis);
}

}  // namespace slime

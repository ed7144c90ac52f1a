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

}  // namespace slime

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace slime {

/// Why an operation failed. A code earns its place here only when some caller
/// reacts to it differently; everything else is detail for `Error::context`.
/// Values travel on the wire: append only.
enum class Errc : std::uint8_t {
  invalid_argument = 1,  ///< The caller's input is wrong; repeating it cannot help.
  not_found = 2,         ///< The named thing does not exist.
  already_exists = 3,    ///< The named thing exists and may not be replaced.
  unavailable = 4,       ///< The other side is dead or unreachable; another one may serve.
  timeout = 5,           ///< No answer within the deadline; whether it took effect is unknown.
  overloaded = 6,        ///< A bound was reached; try again later.
  stale = 7,             ///< Fenced: an older term or incarnation than the one in force.
  corruption = 8,        ///< Stored or received bytes are not what was written.
  io_error = 9,          ///< The operating system refused; `context` has its text.
  refused = 10,          ///< Not allowed: wrong token or cluster, or another user's.
  internal = 11,         ///< A bug or an exception that escaped; `context` has its text.
  incompatible = 12,     ///< The other side or the stored data is of another version.
  diverged = 13,         ///< The computation left the finite numbers; repeating it cannot help.
};

/// Lower snake case name of `code`; "unknown" for a value outside the enum.
std::string_view to_string(Errc code);

struct Error {
  Errc code;
  std::string context;  ///< What was attempted, on what, why it failed; for people, not branching.
};

/// "timeout: asking shard 2 for its parameters: no answer in 5 s".
std::string to_string(const Error& error);

/// `text`, or as much of its beginning as fits into `bytes_max` with an ellipsis behind it; never
/// ends inside a UTF-8 character. Precondition: `bytes_max` is at least 3.
std::string shortened(std::string_view text, std::size_t bytes_max);

/// A value, or why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error{...};` both read naturally.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  /// Precondition: holds a value.
  T& value() & { return *std::get_if<0>(&checked(0)); }
  const T& value() const& { return *std::get_if<0>(&checked(0)); }
  T&& value() && { return std::move(*std::get_if<0>(&checked(0))); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Precondition: holds an error.
  const Error& error() const { return *std::get_if<1>(&checked(1)); }

 private:
  std::variant<T, Error>& checked([[maybe_unused]] std::size_t index) {
    assert(state_.index() == index);
    return state_;
  }
  const std::variant<T, Error>& checked([[maybe_unused]] std::size_t index) const {
    assert(state_.index() == index);
    return state_;
  }

  std::variant<T, Error> state_;
};

/// Result of an operation with nothing to return.
using Status = Result<std::monostate>;

inline Status ok() {
  return std::monostate{};
}

}  // namespace slime

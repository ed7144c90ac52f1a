#include "runtime/link/caf_error.hpp"

#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/sec.hpp>

#include <string>

#include "runtime/link/frame.hpp"

namespace slime::runtime {

namespace {

// An exception's text may be of any length, a control frame may not.
constexpr std::size_t context_bytes_max = std::size_t{control_words_max} * 8 / 4;

constexpr caf::atom_value our_category = caf::atom("slime");
constexpr caf::atom_value exit_category = caf::atom("exit");
constexpr caf::atom_value system_category = caf::atom("system");

std::string context_of(const caf::error& error) {
  const caf::message& context = error.context();
  if (context.match_elements<std::string>()) return context.get_as<std::string>(0);
  return context.empty() ? std::string() : caf::to_string(context);
}

Errc nearest(const caf::error& error) {
  if (error.category() == exit_category) {
    switch (static_cast<caf::exit_reason>(error.code())) {
      case caf::exit_reason::unhandled_exception:
        return Errc::internal;
      default:
        return Errc::unavailable;
    }
  }
  if (error.category() != system_category) return Errc::internal;
  switch (static_cast<caf::sec>(error.code())) {
    case caf::sec::request_timeout:
      return Errc::timeout;
    case caf::sec::request_receiver_down:
      return Errc::unavailable;
    case caf::sec::unexpected_message:
      return Errc::invalid_argument;
    default:
      return Errc::internal;
  }
}

}  // namespace

caf::error to_caf(const Error& error) {
  return caf::error(static_cast<std::uint8_t>(error.code), our_category,
                    caf::make_message(error.context));
}

Error from_caf(const caf::error& error) {
  std::string context = context_of(error);
  if (error.category() == our_category)
    return {static_cast<Errc>(error.code()), std::move(context)};
  std::string text;
  if (error.category() == exit_category)
    text = to_string(static_cast<caf::exit_reason>(error.code()));
  else if (error.category() == system_category)
    text = to_string(static_cast<caf::sec>(error.code()));
  else
    text = to_string(error.category()) + " " + std::to_string(error.code());
  if (!context.empty()) text += ": " + context;
  return {nearest(error), std::move(text)};
}

void write_failure(const caf::error& error, schema::LinkFailure::Builder out) {
  if (!error) return;
  out.setCategory(static_cast<std::uint64_t>(error.category()));
  out.setCode(error.code());
  const std::string context = shortened(context_of(error), context_bytes_max);
  if (!context.empty()) out.setContext(kj::StringPtr(context.data(), context.size()));
}

caf::error read_failure(schema::LinkFailure::Reader failure) {
  if (failure.getCategory() == 0) return {};
  const auto category = static_cast<caf::atom_value>(failure.getCategory());
  if (!failure.hasContext()) return caf::error(failure.getCode(), category);
  const kj::StringPtr context = failure.getContext();
  return caf::error(failure.getCode(), category,
                    caf::make_message(std::string(context.begin(), context.size())));
}

}  // namespace slime::runtime

#include "tools/slime/chaos/simulated/seed_outcome.hpp"

#include <capnp/compat/json.h>
#include <capnp/message.h>
#include <fmt/format.h>
#include <kj/exception.h>

#include "schemas/chaos.capnp.h"
#include "tools/slime/console.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/utf8.hpp"

namespace slime::tools {

std::string outcome_text(const SeedOutcome& outcome) {
  std::string text = fmt::format("seed {}: {} ({:.2f} s, {} deliveries, hash {})\n", outcome.seed,
                                 outcome.drawn, outcome.seconds, outcome.deliveries, outcome.hash);
  for (const auto& [invariant, evidence] : outcome.violations)
    text += fmt::format("  violated {}: {}\n", invariant, evidence);
  for (const std::string& line : outcome.log) text += "  " + one_line(line) + "\n";
  return text;
}

std::string outcome_json(const SeedOutcome& outcome) {
  std::string strikes, violations;
  for (const auto& [fault, count] : outcome.strikes)
    strikes += (strikes.empty() ? "" : ",") +
               JsonObject().text("fault", fault).number("count", count).str();
  for (const auto& [invariant, evidence] : outcome.violations)
    violations += (violations.empty() ? "" : ",") +
                  JsonObject().text("invariant", invariant).text("evidence", evidence).str();
  std::string log;
  for (const std::string& line : outcome.log) log += (log.empty() ? "" : ",") + json_quote(line);
  return JsonObject()
      .number("seed", outcome.seed)
      .boolean("ok", outcome.ok())
      .text("drawn", outcome.drawn)
      .raw("strikes", "[" + strikes + "]")
      .raw("violations", "[" + violations + "]")
      .number("seconds", outcome.seconds)
      .number("deliveries", outcome.deliveries)
      .text("hash", outcome.hash)
      .raw("log", "[" + log + "]")
      .str();
}

Result<SeedOutcome> read_outcome(std::string_view line) {
  if (utf8_prefix(line) < line.size())
    return Error{Errc::corruption, "it is no outcome of a seed: it is no UTF-8"};
  try {
    capnp::MallocMessageBuilder message;
    auto root = message.initRoot<schema::SeedOutcome>();
    capnp::JsonCodec().decode(kj::arrayPtr(line.data(), line.size()), root);
    const auto read = root.asReader();
    SeedOutcome outcome{.seed = read.getSeed(),
                        .drawn = read.getDrawn().cStr(),
                        .seconds = read.getSeconds(),
                        .deliveries = read.getDeliveries(),
                        .hash = read.getHash().cStr()};
    for (const auto struck : read.getStrikes())
      outcome.strikes[struck.getFault().cStr()] = struck.getCount();
    for (const auto violation : read.getViolations())
      outcome.violations.push_back(
          {violation.getInvariant().cStr(), violation.getEvidence().cStr()});
    for (const auto text : read.getLog()) outcome.log.emplace_back(text.cStr());
    return outcome;
  } catch (const kj::Exception& failure) {
    return Error{Errc::corruption,
                 std::string("it is no outcome of a seed: ") + failure.getDescription().cStr()};
  }
}

}  // namespace slime::tools

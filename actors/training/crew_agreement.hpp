#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/base/error.hpp"
#include "schemas/history.capnp.h"

namespace slime::actors {

/// What every worker of a job must agree on.
struct CrewTraits {
  std::uint64_t samples = 0;  ///< Training set.
  std::uint64_t test_samples = 0;
  std::uint64_t inputs = 0;  ///< Numbers per sample.
  std::uint64_t data_hash = 0;
  std::uint64_t probe_hash = 0;  ///< Equal when the arithmetic is.

  void write(schema::CrewTraits::Builder root) const;
  static CrewTraits read(schema::CrewTraits::Reader root);
};

/// Settles which of the workers' descriptions are the job's, so that it does not depend on who was
/// first: those of the most workers. A worker that cannot describe itself counts as well, so the
/// job fails when most of them cannot.
class CrewAgreement {
 public:
  /// @param workers       Places to fill.
  /// @param same_bits     Whether they must agree on the arithmetic, too.
  CrewAgreement(std::size_t workers, bool same_bits) : workers_(workers), same_bits_(same_bits) {}

  void hear(std::uint32_t worker, const CrewTraits& traits) {
    told_.insert_or_assign(worker, traits);
  }
  /// It cannot take part, and says why.
  void hear(std::uint32_t worker, const Error& why) { told_.insert_or_assign(worker, why); }
  void forget(std::uint32_t worker) { told_.erase(worker); }

  /// Whether no more need be heard: all have told, or more than half of all agree.
  bool clear() const;

  struct Verdict {
    std::optional<CrewTraits> traits;  ///< None when most cannot take part.
    std::uint32_t speaker = 0;         ///< The first of those who agree.
  };
  /// What the most of those say who have told; of equally many, those with a description, then
  /// those with the lowest place. Nothing while none has told.
  std::optional<Verdict> settle() const;

  /// Why this worker cannot take part; null when it can or has not told.
  const Error* failure(std::uint32_t worker) const;
  /// What is wrong with this worker, given what was settled; empty: nothing, or it has not told.
  std::string objection(std::uint32_t worker, const CrewTraits& settled) const;

 private:
  using Told = std::variant<CrewTraits, Error>;

  std::string_view difference(const CrewTraits& settled, const CrewTraits& other) const;
  bool agree(const Told& a, const Told& b) const;
  std::size_t agreeing_with(const Told& told) const;

  std::size_t workers_;
  bool same_bits_;
  std::map<std::uint32_t, Told> told_;
};

}  // namespace slime::actors

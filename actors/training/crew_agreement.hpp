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
/// first: those of the most workers. The job fails when more than half of its places have a worker
/// that cannot describe itself.
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

  struct Verdict {
    std::optional<CrewTraits> traits;  ///< None: most places cannot take part.
    std::uint32_t speaker = 0;         ///< The first of those who agree.
  };
  /// What most of those with a description say; of equally many, those with the lowest place. More
  /// than half of `expected` must say it, unless all those have told. That nobody can take part is
  /// settled once it is true of more than half of all places. Nothing while more must be heard.
  /// @param expected  Workers that are there, or will be.
  std::optional<Verdict> settle(std::size_t expected) const;

  /// Why this worker cannot take part; null when it can or has not told.
  const Error* failure(std::uint32_t worker) const;
  /// What is wrong with this worker, given what was settled; empty: nothing, or it has not told.
  std::string objection(std::uint32_t worker, const CrewTraits& settled) const;

 private:
  using Told = std::variant<CrewTraits, Error>;

  std::string_view difference(const CrewTraits& settled, const CrewTraits& other) const;
  std::size_t agreeing_with(const CrewTraits& traits) const;

  std::size_t workers_;
  bool same_bits_;
  std::map<std::uint32_t, Told> told_;
};

}  // namespace slime::actors

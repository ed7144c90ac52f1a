#include "tools/slime/simulation/scenario_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/slime/settings/objections.hpp"
#include "tools/slime/simulation/scenario_job.hpp"
#include "trainer/emulate/ideal_makespan.hpp"

namespace slime::tools {

namespace {

// The samples of a run exist, two bytes each, and so does their order.
constexpr std::uint64_t samples_max = std::uint64_t{1} << 24;
// Of virtual time; far below what 64 bits of nanoseconds hold.
constexpr double seconds_max = 1e6;
// Whoever starts an actor waits 2 s for the answer, so there and back takes less.
constexpr double delay_limit_us = 1e6;

/// The rules, one function for each kind.
class ScenarioRules : private Objections {
 public:
  ScenarioRules(schema::Scenario::Reader scenario, const KnownNames& known, const Origins& origins)
      : Objections(origins), scenario_(scenario), known_(known) {}

  Status check() const {
    for (const auto rule :
         {&ScenarioRules::sizes, &ScenarioRules::runs, &ScenarioRules::compute,
          &ScenarioRules::link, &ScenarioRules::machines, &ScenarioRules::presence,
          &ScenarioRules::places, &ScenarioRules::length})
      if (Status sound = (this->*rule)(); !sound) return sound;
    return ok();
  }

 private:
  Status worker_exists(std::string_view setting, std::uint32_t worker) const {
    if (worker < scenario_.getWorkers()) return ok();
    return broken(setting, fmt::format("worker {} does not exist: workers count from 0 to {}",
                                       worker, scenario_.getWorkers() - 1));
  }

  Status sizes() const {
    const std::uint32_t batch = scenario_.getBatch();
    const std::uint32_t block = scenario_.getBlock();
    if (batch % block != 0)
      return broken("batch", fmt::format("it must be a multiple of block, which is {}; found {}",
                                         block, batch));
    if (std::uint64_t{batch} * scenario_.getIterations() > samples_max)
      return broken("iterations",
                    fmt::format("they times the batch may be at most {}; found {}", samples_max,
                                std::uint64_t{batch} * scenario_.getIterations()));
    return ok();
  }

  Status runs() const {
    if (scenario_.getRuns().size() == 0)
      return broken("runs", "nothing is to be run: give a [[runs]] with a mode and a policy");
    for (const auto run : scenario_.getRuns()) {
      const std::string_view mode(run.getMode().cStr());
      const std::string_view policy(run.getPolicy().cStr());
      if (Status found = known_word("runs", mode, known_.modes); !found) return found;
      if (Status found = known_word("runs", policy, known_.policies); !found) return found;
      if (mode == "a_dsp" && policy != "adapt_fr")
        return broken("runs", fmt::format("mode a_dsp means adapt_fr; found \"{}\"", policy));
      if (mode == "dssp" && run.getStalenessMin() > run.getStalenessMax())
        return broken("runs", "staleness_min is above staleness_max");
      if ((policy == "flex_rr" || policy == "backup_workers") && !run.getFastReassignment())
        return broken("runs", fmt::format("{} is equal shares without fast_reassignment", policy));
    }
    return ok();
  }

  Status compute() const {
    const auto spec = scenario_.getCompute();
    std::set<std::uint32_t> waving;
    for (const auto wave : spec.getWaves()) {
      if (Status sound = worker_exists("compute.waves", wave.getWorker()); !sound) return sound;
      if (!waving.insert(wave.getWorker()).second)
        return broken("compute.waves", fmt::format("worker {} has two", wave.getWorker()));
    }
    for (const auto stall : spec.getStalls())
      if (Status sound = worker_exists("compute.stalls", stall.getWorker()); !sound) return sound;
    for (const auto change : spec.getChanges()) {
      if (Status sound = worker_exists("compute.changes", change.getWorker()); !sound) return sound;
      // Left out it reads as 0, which would stop the worker for ever.
      if (!(change.getSpeed() > 0)) return broken("compute.changes", "each needs a speed above 0");
      if (waving.contains(change.getWorker()))
        return broken("compute.changes",
                      fmt::format("worker {} has a wave already", change.getWorker()));
    }
    return ok();
  }

  Status link() const {
    const auto spec = scenario_.getLink();
    if (spec.getDelayMinUs() > spec.getDelayMaxUs())
      return broken("link.delay_min_us", fmt::format("it is above link.delay_max_us, which is {}",
                                                     spec.getDelayMaxUs()));
    if (spec.getDelayMaxUs() >= delay_limit_us)
      return broken(
          "link.delay_max_us",
          fmt::format("it must be below {}, since actors wait 2 s for an answer; found {}",
                      delay_limit_us, spec.getDelayMaxUs()));
    for (const auto partition : spec.getPartitions())
      if (Status sound = worker_exists("link.partitions", partition.getWorker()); !sound)
        return sound;
    return ok();
  }

  Status machines() const {
    for (const auto death : scenario_.getDeaths())
      if (Status sound = worker_exists("deaths", death.getWorker()); !sound) return sound;
    std::set<std::uint32_t> joining;
    for (const auto join : scenario_.getJoins()) {
      if (Status sound = worker_exists("joins", join.getWorker()); !sound) return sound;
      if (!joining.insert(join.getWorker()).second)
        return broken("joins", fmt::format("worker {} has two", join.getWorker()));
    }
    // A job fills its places from the first on, so the last ones are those that stay empty.
    if (!joining.empty() && *joining.begin() + joining.size() != scenario_.getWorkers())
      return broken("joins", fmt::format("those who join must be the last ones, up to worker {}",
                                         scenario_.getWorkers() - 1));
    if (joining.size() == scenario_.getWorkers())
      return broken("joins", "somebody must be there from the start");
    return ok();
  }

  /// Why a worker is not there or out of reach, in seconds since the first lease.
  struct Absence {
    std::string_view setting;
    std::uint32_t worker;
    double from_s;
    double until_s;
  };

  std::vector<Absence> absences() const {
    constexpr double for_good = std::numeric_limits<double>::infinity();
    std::vector<Absence> all;
    for (const auto join : scenario_.getJoins())
      all.push_back({"joins", join.getWorker(), -1, join.getAtSeconds()});
    for (const auto death : scenario_.getDeaths()) {
      const double for_s = death.getForSeconds() > 0 ? death.getForSeconds() : for_good;
      all.push_back(
          {"deaths", death.getWorker(), death.getAtSeconds(), death.getAtSeconds() + for_s});
    }
    for (const auto cut : scenario_.getLink().getPartitions())
      all.push_back({"link.partitions", cut.getWorker(), cut.getAtSeconds(),
                     cut.getAtSeconds() + cut.getForSeconds()});
    return all;
  }

  /// What dies or is cut off is there: otherwise nothing would happen, and the bound would not
  /// know.
  Status presence() const {
    std::vector<Absence> all = absences();
    std::ranges::stable_sort(
        all, {}, [](const Absence& absence) { return std::pair(absence.worker, absence.from_s); });
    for (std::size_t i = 1; i < all.size(); ++i) {
      const Absence& before = all[i - 1];
      const Absence& next = all[i];
      if (before.worker != next.worker || before.until_s < next.from_s) continue;
      std::string why = fmt::format("joins at {} s", before.until_s);
      if (before.from_s >= 0)
        why = std::isinf(before.until_s)
                  ? fmt::format("is dead from {} s on", before.from_s)
                  : fmt::format("is away from {} s to {} s", before.from_s, before.until_s);
      return broken(next.setting, fmt::format("worker {} {}: nothing can happen to it at {} s",
                                              next.worker, why, next.from_s));
    }
    return ok();
  }

  /// A job fills its lowest vacant place first: whoever comes takes its own only if that is it.
  /// Otherwise places and their speeds would be swapped, and the bound would not know.
  Status places() const {
    const double detection_s = scenario_.getLink().getDetectionSeconds();
    std::vector<Absence> vacancies;
    for (const Absence& absence : absences()) {
      const double for_s = absence.until_s - absence.from_s;
      if (absence.setting == "deaths" && for_s <= detection_s)
        return broken("deaths", fmt::format("worker {} would be replaced after {} s, before its "
                                            "death is noticed: link.detection_seconds is {}",
                                            absence.worker, for_s, detection_s));
      if (absence.setting != "link.partitions" || for_s >= detection_s)
        vacancies.push_back(absence);
    }
    for (const Absence& own : vacancies)
      for (const Absence& lower : vacancies)
        if (lower.worker < own.worker && lower.from_s < own.until_s && own.until_s < lower.until_s)
          return broken(own.setting,
                        fmt::format("worker {} would come at {} s and take the place of "
                                    "worker {}, which is away then",
                                    own.worker, own.until_s, lower.worker));
    return ok();
  }

  Status length() const {
    const auto spec = scenario_.getCompute();
    const std::uint64_t told =
        std::uint64_t{spec.getSpeeds().size()} + spec.getStalls().size() + spec.getChanges().size();
    if (told * scenario_.getWorkers() > told_max)
      return broken("compute",
                    fmt::format("{} speeds, stalls and changes of speed times {} workers are too "
                                "many; at most {} can be simulated",
                                told, scenario_.getWorkers(), told_max));
    const auto emulation = emulation_of_scenario(scenario_);
    if (!emulation) return broken("compute.waves", emulation.error().context);
    const auto ideal =
        trainer::ideal_makespan_s(*emulation, lifetimes_of(scenario_), samples_of(scenario_));
    if (!ideal) return broken("deaths", ideal.error().context);
    if (*ideal <= seconds_max) return ok();
    return broken("compute.sample_us",
                  fmt::format("the run would take {} s at best; at most {} s can be simulated",
                              *ideal, seconds_max));
  }

  schema::Scenario::Reader scenario_;
  const KnownNames& known_;
};

}  // namespace

Status check_scenario(schema::Scenario::Reader scenario, const KnownNames& known,
                      const Origins& origins) {
  return ScenarioRules(scenario, known, origins).check();
}

}  // namespace slime::tools

#include "tools/slime/chaos/simulated/simulated_faults.hpp"

#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "actors/training/protocols.hpp"

namespace slime::tools {

namespace {

using namespace std::chrono_literals;
using runtime::Verdict;

Duration below(Random& random, Duration bound) {
  return std::chrono::microseconds(
      random.below(static_cast<std::uint64_t>(bound / std::chrono::microseconds(1))));
}

// Mostly shorter than it takes anybody to notice, otherwise up to three times that.
Duration drawn_hold(Random& random) {
  return 1ms + below(random, random.below(3) > 0 ? Stage::detection / 4 : 3 * Stage::detection);
}

// Now and then at once, before anybody has noticed.
Duration drawn_absence(Random& random) {
  return random.below(4) == 0 ? Duration::zero() : below(random, 2s);
}

std::size_t any_place(Stage& stage, Random& random) {
  return random.below(stage.places());
}

// The head is one of few; it is hit as often as three of the others.
std::size_t any_node(Stage& stage, Random& random) {
  const std::uint64_t drawn = random.below(stage.places() + 3);
  return drawn < stage.places() ? drawn : Stage::head;
}

bool kill(Stage& stage, Random& random) {
  const std::size_t first = any_node(stage, random);
  const Duration away = drawn_absence(random);
  const bool hit = stage.kill(first, away);
  // Several at once, one time in four.
  if (random.below(4) > 0) return hit;
  const std::size_t second = any_node(stage, random);
  return stage.kill(second, drawn_absence(random)) || hit;
}

template <class... T>
std::vector<std::uint64_t> types() {
  return {runtime::type_id<T>()...};
}

// Every message of the lease protocol, of starting, of taking over, of saving and of loading.
std::vector<std::uint64_t> protocol() {
  return types<schema::Next, schema::Grant, schema::Seal, schema::Sealed, schema::Complete,
               schema::Completed, schema::Push, schema::Pushed, schema::Pull, schema::Parameters,
               schema::Commit, schema::Committed, schema::Begin, schema::Begun, schema::Describe,
               schema::Description, schema::Prepare, schema::Prepared, schema::Evaluated,
               schema::EvaluationTaken, schema::Save, schema::Copied, schema::WritePart,
               schema::PartWritten, schema::PartSaved, schema::PartSavedTaken,
               schema::CommitCheckpoint, schema::CheckpointCommitted, schema::Measurement,
               schema::Loads, schema::Shares, schema::Adopt, schema::Inventory, schema::ReadRange,
               schema::RangeRead, schema::SaveFilters, schema::Filters, schema::Enlist,
               schema::Forget, schema::RunTime>();
}

bool trap(Stage& stage, Random& random, Verdict verdict) {
  const auto all = protocol();
  const std::uint64_t type = all[random.below(all.size())];
  // Mostly early occurrences: rare messages would otherwise never be hit.
  return stage.trap({type}, random.below(2) > 0 ? random.below(4) : random.below(60), verdict);
}

bool crash(Stage& stage, Random& random) {
  constexpr Verdict ends[] = {Verdict::kill_receiver_before, Verdict::kill_receiver_after,
                              Verdict::kill_sender};
  return trap(stage, random, ends[random.below(std::size(ends))]);
}

bool stop(Stage& stage, Random& random) {
  const std::size_t place = any_node(stage, random);
  return stage.stop(place, drawn_hold(random));
}

bool partition(Stage& stage, Random& random) {
  const Duration hold = drawn_hold(random);
  if (random.below(2) == 0) {
    const std::size_t left = any_node(stage, random);
    return stage.part(left, any_node(stage, random), hold);
  }
  std::vector<std::size_t> cut;
  for (std::size_t place = 0; place < stage.places(); ++place)
    if (random.below(3) == 0) cut.push_back(place);
  return stage.isolate(cut, hold);
}

bool loss(Stage& stage, Random& random) {
  if (random.below(3) == 0) return trap(stage, random, Verdict::drop);
  const double share = 0.01 + 0.2 * random.uniform();
  return stage.lose(share, below(random, 2s));
}

bool leave(Stage& stage, Random& random) {
  const std::size_t place = any_place(stage, random);
  return stage.leave(place, drawn_absence(random));
}

bool join(Stage& stage, Random& random) {
  return stage.join(random.below(3) > 0 ? "worker" : "shard");
}

bool disk_full(Stage& stage, Random& random) {
  const std::size_t place = any_node(stage, random);
  return stage.fill(place, below(random, 1500ms));
}

bool blackout(Stage& stage, Random&) {
  return stage.end();
}

}  // namespace

std::span<const SimulatedFault> simulated_faults() {
  static constexpr std::array all{
      SimulatedFault{"kill", "end a node's process, or two; another one follows", kill},
      SimulatedFault{"crash", "end one actor of the job at some message", crash},
      SimulatedFault{"stop", "stop a node's process for a while", stop},
      SimulatedFault{"partition", "cut a link, or some nodes off from the others, for a while",
                     partition},
      SimulatedFault{"loss", "lose one message, or a share of all for a while", loss},
      SimulatedFault{"leave", "a node says goodbye; another one comes", leave},
      SimulatedFault{"join", "another node joins", join},
      SimulatedFault{"disk_full", "a node's disk takes nothing for a while", disk_full},
      SimulatedFault{"blackout", "end everything at once; the job is resumed", blackout},
  };
  return all;
}

}  // namespace slime::tools

#include "storage/checkpoint_selection.hpp"

#include <algorithm>
#include <cmath>

namespace slime::storage {

namespace {

using Kind = CheckpointSelector::Kind;

// Checkpoints that are named where none of them is meant.
constexpr std::size_t told_max = 10;

bool fits(const CheckpointSelector& selector, CheckpointId id) {
  if (selector.kind == Kind::iteration) return id.iteration == selector.id.iteration;
  return selector.kind != Kind::exact || id == selector.id;
}

const CommittedCheckpoint* best_of(OpenedStores& stores,
                                   const std::vector<CommittedCheckpoint>& all) {
  const CommittedCheckpoint* best = nullptr;
  double highest = 0;
  for (const CommittedCheckpoint& one : all) {
    const auto store = stores.of(one.head);
    const auto manifest = store ? (*store)->manifest(one.id) : store.error();
    if (!manifest) continue;
    const double accuracy = manifest->read([](auto read) { return read.getAccuracy(); });
    if (!std::isfinite(accuracy) || (best && accuracy < highest)) continue;
    highest = accuracy;
    best = &one;
  }
  return best;
}

}  // namespace

CheckpointSelector selector_of(schema::CheckpointChoice::Reader choice) {
  const auto which = choice.getCheckpoint();
  if (which.isBest()) return {Kind::best};
  if (which.isIteration()) return {Kind::iteration, {.iteration = which.getIteration()}};
  if (which.isExact())
    return {Kind::exact, {which.getExact().getTerm(), which.getExact().getIteration()}};
  return {};
}

std::string to_string(const CheckpointSelector& selector) {
  switch (selector.kind) {
    case Kind::newest:
      return "newest";
    case Kind::best:
      return "best";
    case Kind::iteration:
      return std::to_string(selector.id.iteration);
    case Kind::exact:
      break;
  }
  return to_string(selector.id);
}

std::string those_there_are(const std::vector<CommittedCheckpoint>& all) {
  const std::size_t older = all.size() - std::min(all.size(), told_max);
  std::string text;
  for (std::size_t i = older; i < all.size(); ++i)
    text += (text.empty() ? "" : ", ") + std::to_string(all[i].id.iteration);
  if (older > 0) text += " and " + std::to_string(older) + " older ones";
  return "there are those of iterations " + text;
}

Result<CommittedCheckpoint> select_checkpoint(OpenedStores& stores,
                                              const CheckpointSelector& selector) {
  const std::string attempted = "looking for checkpoint \"" + to_string(selector) + "\" in " +
                                stores.directory().string() + ": ";
  const auto found = committed_checkpoints(stores);
  if (!found) return found.error();
  const auto& all = found->all;
  if (all.empty() && !found->unreadable.empty()) return found->unreadable.front();
  if (all.empty()) return Error{Errc::not_found, attempted + "the stores there hold none"};
  if (selector.kind == Kind::best) {
    if (const CommittedCheckpoint* best = best_of(stores, all)) return *best;
    return Error{Errc::not_found, attempted +
                                      "the accuracy of none was measured; name an iteration, " +
                                      those_there_are(all)};
  }
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const CommittedCheckpoint& one) {
    return fits(selector, one.id);
  });
  if (last == all.rend()) return Error{Errc::not_found, attempted + those_there_are(all)};
  return *last;
}

}  // namespace slime::storage

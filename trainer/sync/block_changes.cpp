#include "trainer/sync/block_changes.hpp"

#include <cstring>

#include "trainer/optim/parameter_range.hpp"

namespace slime::trainer {

namespace {

// Bits, not numbers: 0 and -0 are two, and a nan is itself.
bool same(std::span<const float> a, const float* b) {
  return std::memcmp(a.data(), b, a.size_bytes()) == 0;
}

}  // namespace

BlockChanges::BlockChanges(std::size_t parameters)
    : last_change_((parameters + parameter_block - 1) / parameter_block) {}

std::vector<bool> BlockChanges::unchanged_since(std::uint64_t mark) const {
  std::vector<bool> unchanged;
  unchanged.reserve(last_change_.size());
  for (const std::uint64_t change : last_change_) unchanged.push_back(change < mark);
  return unchanged;
}

void BlockChanges::watch(std::size_t block, std::span<const float> values,
                         std::span<const std::span<float>> slots,
                         const std::function<void()>& update) {
  if (last_change_[block] == marks_) return update();
  before_.assign(values.begin(), values.end());
  for (const auto slot : slots) before_.insert(before_.end(), slot.begin(), slot.end());
  update();
  const float* before = before_.data();
  bool unchanged = same(values, before);
  for (const auto slot : slots) unchanged = unchanged && same(slot, before += values.size());
  if (!unchanged) last_change_[block] = marks_;
}

}  // namespace slime::trainer

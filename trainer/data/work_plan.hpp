#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

namespace slime::trainer {

/// How a job's samples are cut: epochs into iterations, iterations into blocks. Iterations are
/// counted over the whole job; within its epoch, iteration k owns positions [kB, (k+1)B) of the
/// epoch's permutation, so the last one of an epoch may be short, and so may its last block.
struct WorkPlan {
  std::uint64_t samples = 0;  ///< Of the training set; > 0.
  std::uint32_t batch = 1;    ///< Samples of a full iteration; > 0.
  std::uint32_t block = 1;    ///< Samples of a full block; > 0.
  std::uint32_t epochs = 1;

  std::uint64_t iterations_per_epoch() const { return (samples + batch - 1) / batch; }
  std::uint64_t iterations() const { return iterations_per_epoch() * epochs; }
  std::uint64_t epoch_of(std::uint64_t iteration) const {
    return iteration / iterations_per_epoch();
  }
  /// First position of the iteration within its epoch.
  std::uint64_t position_of(std::uint64_t iteration) const {
    return iteration % iterations_per_epoch() * batch;
  }
  std::uint32_t samples_in(std::uint64_t iteration) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(batch, samples - position_of(iteration)));
  }
  std::uint32_t blocks_in(std::uint64_t iteration) const {
    return whole_blocks(samples_in(iteration));
  }
  std::uint32_t blocks_in_full() const { return whole_blocks(batch); }
  std::uint32_t samples_in_block(std::uint64_t iteration, std::uint32_t index) const {
    return std::min(block, samples_in(iteration) - index * block);
  }
  /// Samples of all iterations before `iteration`.
  std::uint64_t samples_before(std::uint64_t iteration) const {
    return epoch_of(iteration) * samples + position_of(iteration);
  }
  /// Where these blocks lie, for people: "iteration 7, samples 8 to 15 and 20 to 23 of epoch 2".
  /// Samples are counted from 0 in the epoch's order, epochs from 1. Any block may be asked for.
  std::string describe(std::uint64_t iteration, std::span<const std::uint32_t> blocks) const;

 private:
  std::uint32_t whole_blocks(std::uint32_t count) const {
    return count / block + (count % block != 0 ? 1 : 0);
  }
};

}  // namespace slime::trainer

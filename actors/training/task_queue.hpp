#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "trainer/gradient/gradient_sum.hpp"
#include "trainer/sync/work_ledger.hpp"

namespace slime::actors {

/// A group on its way through a worker: leased, computed into a sum of its own, then sealed.
struct Task {
  std::uint64_t iteration = 0;
  trainer::GroupId group = 0;  ///< Not 0: issued again; pushed without sealing.
  std::uint64_t min_version = 0;
  double learning_rate = 0;
  std::vector<std::uint32_t> granted;    ///< And not yet begun.
  std::vector<std::uint32_t> computing;  ///< In the sum, but not yet done with.
  std::vector<std::uint32_t> computed;   ///< In the sum.
  bool last = false;                     ///< Its own part of the iteration is all granted.
  bool complete = false;                 ///< No block is added any more.
  std::uint64_t version = 0;             ///< Of the parameters it is computed at.
  std::uint32_t samples = 0;             ///< In the sum.
  double compute_s = 0, fetch_s = 0, wait_s = 0;
  std::unique_ptr<trainer::GradientSum> sum;  ///< The queue's.

  bool begun() const { return !computing.empty() || !computed.empty(); }
  bool finished() const { return complete && granted.empty() && computing.empty(); }
  /// Takes up to `count` granted blocks to be computed now.
  const std::vector<std::uint32_t>& start(std::size_t count);
};

/// The groups that a worker has and did not push: the one that it computes or seals, and in modes
/// that allow it the one after, each with its own sum. Lives as long as its worker, which alone
/// uses it; no call blocks. References to a task hold until it is dropped.
class TaskQueue {
 public:
  static constexpr std::size_t tasks_max = 2;

  /// @param parameters  Of the model, for the sums; the second is made when it is first needed.
  TaskQueue(std::size_t parameters, bool reproducible);

  bool empty() const { return tasks_.empty(); }
  bool full() const { return tasks_.size() >= tasks_max; }
  Task& oldest() { return tasks_.front(); }
  const Task& newest() const { return tasks_.back(); }

  /// A lease came: it adds blocks to the newest task or opens another one.
  /// @param ahead  It answers a worker that takes another group beside the newest, which then is
  ///               complete. If not, and the lease is of another group, then the newest stands no
  ///               more: whoever granted it has freed it since.
  /// Precondition: not full, or the newest is not complete and the lease does not come ahead.
  void add(Task lease, bool ahead);
  /// Nothing more will be added to the newest task.
  void complete_newest();

  /// The oldest task with blocks to begin, if any.
  Task* to_compute();
  /// What was begun is computed.
  void end_computing();
  /// The oldest task if it is all computed, to be sealed or pushed.
  const Task* to_send() const;

  /// The oldest task was pushed, or refused.
  void drop_oldest();
  void clear();

 private:
  void recycle(Task& task);

  std::size_t parameters_;
  bool reproducible_;
  std::deque<Task> tasks_;
  std::vector<std::unique_ptr<trainer::GradientSum>> spare_sums_;
};

}  // namespace slime::actors

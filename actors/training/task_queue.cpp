#include "actors/training/task_queue.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace slime::actors {

const std::vector<std::uint32_t>& Task::start(std::size_t count) {
  const auto end = granted.begin() + static_cast<std::ptrdiff_t>(std::min(count, granted.size()));
  computing.assign(granted.begin(), end);
  granted.erase(granted.begin(), end);
  return computing;
}

TaskQueue::TaskQueue(std::size_t parameters, bool reproducible)
    : parameters_(parameters), reproducible_(reproducible) {
  spare_sums_.push_back(std::make_unique<trainer::GradientSum>(parameters, reproducible));
}

void TaskQueue::add(Task lease, bool ahead) {
  if (!empty() && !newest().complete) {
    Task& present = tasks_.back();
    if (present.iteration == lease.iteration && present.group == lease.group) {
      present.granted.insert(present.granted.end(), lease.granted.begin(), lease.granted.end());
      present.last = lease.last;
      return;
    }
    if (ahead) {
      present.complete = true;
    } else {
      recycle(present);
      tasks_.pop_back();
    }
  }
  assert(!full());
  if (spare_sums_.empty())
    spare_sums_.push_back(std::make_unique<trainer::GradientSum>(parameters_, reproducible_));
  lease.complete = lease.group != 0;
  lease.sum = std::move(spare_sums_.back());
  spare_sums_.pop_back();
  tasks_.push_back(std::move(lease));
}

void TaskQueue::complete_newest() {
  if (!empty()) tasks_.back().complete = true;
}

Task* TaskQueue::to_compute() {
  const auto found = std::ranges::find_if(tasks_, [](const Task& t) { return !t.granted.empty(); });
  return found == tasks_.end() ? nullptr : &*found;
}

void TaskQueue::end_computing() {
  for (Task& task : tasks_) {
    task.computed.insert(task.computed.end(), task.computing.begin(), task.computing.end());
    task.computing.clear();
  }
}

const Task* TaskQueue::to_send() const {
  return !empty() && tasks_.front().finished() ? &tasks_.front() : nullptr;
}

void TaskQueue::recycle(Task& task) {
  task.sum->clear();
  spare_sums_.push_back(std::move(task.sum));
}

void TaskQueue::drop_oldest() {
  recycle(tasks_.front());
  tasks_.pop_front();
}

void TaskQueue::clear() {
  while (!empty()) drop_oldest();
}

}  // namespace slime::actors

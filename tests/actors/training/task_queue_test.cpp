#include "actors/training/task_queue.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using actors::Task;
using actors::TaskQueue;
using Blocks = std::vector<std::uint32_t>;

namespace task_queue_test {

Task lease(std::uint64_t iteration, Blocks blocks, std::uint64_t group = 0) {
  Task task;
  task.iteration = iteration;
  task.granted = std::move(blocks);
  task.group = group;
  return task;
}

// Computes all that is granted, each task's blocks with one gradient.
void compute(TaskQueue& queue) {
  while (Task* task = queue.to_compute()) {
    task->start(task->granted.size());
    (void)task->sum->take_scratch();
    queue.end_computing();
  }
}

}  // namespace task_queue_test

BOOST_AUTO_TEST_SUITE(task_queue_test)

BOOST_AUTO_TEST_CASE(leases_of_one_group_are_one_task_until_it_is_complete) {
  TaskQueue queue(4, false);
  queue.add(lease(3, {0, 1}), false);
  BOOST_TEST((queue.to_compute()->start(1) == Blocks{0}));
  BOOST_TEST((queue.to_compute()->granted == Blocks{1}));
  queue.end_computing();
  BOOST_TEST(!queue.to_send());
  queue.add(lease(3, {2}), false);
  compute(queue);
  BOOST_TEST(!queue.to_send());
  queue.complete_newest();
  BOOST_REQUIRE(queue.to_send());
  BOOST_TEST((queue.to_send()->computed == Blocks{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(a_lease_ahead_is_a_task_with_its_own_sum) {
  TaskQueue queue(4, false);
  queue.add(lease(3, {0}), false);
  queue.complete_newest();
  compute(queue);
  queue.add(lease(4, {0}), true);
  BOOST_TEST(queue.full());
  BOOST_TEST(queue.oldest().iteration == 3u);
  BOOST_TEST(queue.newest().iteration == 4u);
  BOOST_TEST(!queue.oldest().sum->empty());
  BOOST_TEST(queue.newest().sum->empty());
  compute(queue);
  BOOST_TEST(queue.to_send()->iteration == 3u);
  queue.drop_oldest();
  BOOST_TEST(!queue.to_send());
  queue.add(lease(4, {1}), false);
  BOOST_TEST(!queue.full());
  queue.complete_newest();
  // A block of an iteration that is being sealed belongs to the next group.
  queue.add(lease(4, {5}), true);
  BOOST_TEST(queue.full());
  BOOST_TEST(queue.newest().sum->empty());
}

BOOST_AUTO_TEST_CASE(a_lease_ahead_completes_what_was_not_told_to_seal) {
  TaskQueue queue(4, false);
  queue.add(lease(3, {0}), false);
  queue.add(lease(3, {1}), true);
  BOOST_TEST(!queue.full());
  queue.add(lease(4, {0}), true);
  BOOST_TEST(queue.full());
  compute(queue);
  BOOST_TEST((queue.to_send()->computed == Blocks{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_lease_that_is_not_ahead_takes_the_place_of_a_stale_one) {
  TaskQueue queue(4, false);
  queue.add(lease(3, {0, 1}), false);
  queue.to_compute()->start(1);
  queue.add(lease(4, {2}), false);
  // What was being computed for the stale one is of no use to the other.
  queue.end_computing();
  BOOST_TEST(!queue.full());
  BOOST_TEST(queue.oldest().iteration == 4u);
  BOOST_TEST(queue.oldest().sum->empty());
  BOOST_TEST(queue.oldest().computed.empty());
}

BOOST_AUTO_TEST_CASE(a_group_issued_again_is_complete_as_it_is) {
  TaskQueue queue(4, false);
  queue.add(lease(3, {0}), false);
  queue.add(lease(2, {4, 5}, 7), true);
  BOOST_TEST(queue.oldest().complete);
  BOOST_TEST(queue.newest().complete);
  compute(queue);
  queue.drop_oldest();
  BOOST_TEST(queue.to_send()->group == 7u);
  queue.clear();
  BOOST_TEST(queue.empty());
  BOOST_TEST(!queue.to_send());
  BOOST_TEST(!queue.to_compute());
}

BOOST_AUTO_TEST_SUITE_END()

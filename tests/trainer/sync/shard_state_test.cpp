#include "trainer/sync/shard_state.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "runtime/base/random.hpp"
#include "trainer/compute/fixed_point_sum.hpp"
#include "trainer/optim/optimizers.hpp"
#include "trainer/sync/modes.hpp"

using namespace slime;
using namespace slime::trainer;

namespace shard_state_test {

using Floats = std::vector<float>;

// A shard of one parameter, in a job of 4 samples an iteration, each a block.
class OneParameter {
 public:
  explicit OneParameter(const char* mode, bool reproducible = false)
      : state_({.plan = {.samples = 12, .batch = 4, .block = 1, .epochs = 1},
                .optimizer = make_optimizer("sgd", {}).value(),
                .mode = make_sync_mode(mode, {.staleness_max = 3}).value(),
                .damping = true,
                .reproducible = reproducible},
               {0, 1}, 0, {0.0F}, {}) {}

  ShardState& state() { return state_; }
  float value() const { return state_.values()[0]; }

  Result<ShardState::Taken> push(GroupId id, std::vector<std::uint32_t> blocks, float sum,
                                 std::uint64_t iteration = 0, std::uint64_t version = 0,
                                 double learning_rate = 0.1) {
    auto values = std::make_shared<const Floats>(Floats{sum});
    const auto samples = static_cast<std::uint32_t>(blocks.size());
    return state_.push({.group = {id, iteration, std::move(blocks)},
                        .version = version,
                        .samples = samples,
                        .learning_rate = learning_rate,
                        .floats = *values,
                        .fixed = {},
                        .owner = values});
  }

 private:
  ShardState state_;
};

bool refused(const Result<ShardState::Taken>& taken) {
  return !taken && taken.error().code == Errc::invalid_argument;
}

}  // namespace shard_state_test

BOOST_AUTO_TEST_SUITE(shard_state_test)

// Case C1: w = 0, x = 1, loss 1/2 (wx - y)^2, y = -1, -1, -1, -5, rate 0.1; so gradients 1, 1,
// 1, 5.
BOOST_AUTO_TEST_CASE(the_step_does_not_depend_on_the_shares) {
  OneParameter even("bsp"), all("bsp"), uneven("bsp");
  BOOST_TEST(bool(even.push(1, {0, 1}, 2)));
  BOOST_TEST(bool(even.push(2, {2, 3}, 6)));
  BOOST_TEST(bool(even.state().commit(0, {2, 1})));
  BOOST_TEST(bool(all.push(1, {0, 1, 2, 3}, 8)));
  BOOST_TEST(bool(all.state().commit(0, {1})));
  BOOST_TEST(bool(uneven.push(1, {0}, 1)));
  BOOST_TEST(bool(uneven.push(2, {1, 2, 3}, 7)));
  BOOST_TEST(bool(uneven.state().commit(0, {1, 2})));
  for (const float value : {even.value(), all.value(), uneven.value()}) BOOST_TEST(value == -0.2F);
}

// Goal: float32 sums agree with the exact one, whoever computed which block, within the bound that
// ARCHITECTURE.md states. Method: random gradients of four blocks, summed by groups in each of the
// ways to cut them into two and by all in one, against the step in double.
BOOST_AUTO_TEST_CASE(fast_sums_agree_within_rounding) {
  Random random(20'241'201);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> gradients;
    double exact = 0, magnitude = 0;
    for (int i = 0; i < 4; ++i) {
      gradients.push_back(static_cast<float>((random.uniform() - 0.5) * (i == 3 ? 1e4 : 1)));
      exact += gradients.back();
      magnitude += std::abs(gradients.back());
    }
    for (unsigned first = 1; first < 16; ++first) {
      OneParameter shard("bsp");
      std::vector<GroupId> groups;
      for (const unsigned members : {first, 15U - first}) {
        if (members == 0) continue;
        std::vector<std::uint32_t> blocks;
        float sum = 0;
        for (std::uint32_t block = 0; block < 4; ++block)
          if ((members >> block & 1U) != 0) blocks.push_back(block), sum += gradients[block];
        groups.push_back(groups.size() + 1);
        BOOST_REQUIRE(bool(shard.push(groups.back(), blocks, sum)));
      }
      BOOST_REQUIRE(bool(shard.state().commit(0, groups)));
      // Three additions, and the rounding of the step itself.
      const double bound = 0.1 / 4 * std::ldexp(3 * magnitude + std::abs(exact), -24);
      BOOST_TEST(std::abs(shard.value() + 0.1 / 4 * exact) <= bound);
    }
  }
}

BOOST_AUTO_TEST_CASE(pushes_on_arrival_add_up_to_the_same_step) {
  OneParameter shard("a_dsp");
  BOOST_TEST(bool(shard.push(1, {0, 1}, 2)));
  BOOST_TEST(shard.state().version() == 0u);
  BOOST_TEST(bool(shard.push(2, {2, 3}, 6)));
  BOOST_TEST(shard.state().version() == 1u);
  BOOST_TEST(std::abs(shard.value() + 0.2F) < 1e-6F);
}

BOOST_AUTO_TEST_CASE(a_late_update_counts_less_by_its_delay) {
  // Two iterations of 4 samples go in first; a gradient of version 0 is then 2 late.
  OneParameter shard("a_dsp");
  BOOST_TEST(bool(shard.push(1, {0, 1, 2, 3}, 0)));
  BOOST_TEST(bool(shard.push(2, {0, 1, 2, 3}, 0, 1)));
  BOOST_TEST(shard.state().version() == 2u);
  BOOST_TEST(bool(shard.push(3, {0, 1}, 4, 2, 0)));
  BOOST_TEST(std::abs(shard.value() + 0.05F) < 1e-6F);
  // One that is a single iteration late counts in full.
  BOOST_TEST(bool(shard.push(4, {2, 3}, 4, 2, 1)));
  BOOST_TEST(std::abs(shard.value() + 0.15F) < 1e-6F);
}

BOOST_AUTO_TEST_CASE(a_step_has_the_rate_that_its_gradients_bring) {
  OneParameter at_once("a_dsp"), committed("bsp");
  BOOST_TEST(bool(at_once.push(1, {0, 1, 2, 3}, 8, 0, 0, 0.5)));
  BOOST_TEST(bool(committed.push(1, {0, 1, 2, 3}, 8, 0, 0, 0.5)));
  BOOST_TEST(bool(committed.state().commit(0, {1})));
  BOOST_TEST(at_once.value() == -1.0F);
  BOOST_TEST(committed.value() == -1.0F);
  for (const double bad : {0.0, -0.1, std::nan("")})
    BOOST_TEST(refused(at_once.push(2, {0}, 1, 1, 1, bad)));
}

BOOST_AUTO_TEST_CASE(a_group_enters_once) {
  for (const char* mode : {"bsp", "a_dsp"}) {
    OneParameter shard(mode);
    BOOST_TEST((shard.push(1, {0, 1}, 2).value() == ShardState::Taken::now));
    BOOST_TEST((shard.push(1, {0, 1}, 2).value() == ShardState::Taken::already));
  }
}

BOOST_AUTO_TEST_CASE(a_block_enters_once_whatever_its_group) {
  OneParameter shard("a_dsp");
  BOOST_TEST(bool(shard.push(1, {0, 1}, 2)));
  BOOST_TEST(refused(shard.push(2, {1, 2}, 2)));
  BOOST_TEST(std::abs(shard.value() + 0.05F) < 1e-6F);
}

BOOST_AUTO_TEST_CASE(only_a_partition_can_be_committed) {
  OneParameter shard("bsp");
  BOOST_TEST(bool(shard.push(1, {0, 1}, 2)));
  BOOST_TEST(bool(shard.push(2, {1, 2, 3}, 7)));
  BOOST_TEST(!shard.state().commit(0, {1}));
  BOOST_TEST(!shard.state().commit(0, {1, 2}));
  BOOST_TEST(!shard.state().commit(0, {1, 9}));
  BOOST_TEST(shard.state().version() == 0u);
  BOOST_TEST(shard.value() == 0.0F);
}

BOOST_AUTO_TEST_CASE(a_repeated_commit_changes_nothing_and_drops_other_stages) {
  OneParameter shard("bsp");
  BOOST_TEST(bool(shard.push(1, {0, 1, 2, 3}, 8)));
  BOOST_TEST(bool(shard.push(2, {0, 1}, 2)));
  BOOST_TEST(bool(shard.state().commit(0, {1})));
  BOOST_TEST(bool(shard.state().commit(0, {1})));
  BOOST_TEST(shard.state().groups().empty());
  BOOST_TEST((shard.state().last_commit() == std::vector<GroupId>{1}));
  BOOST_TEST((shard.push(2, {0, 1}, 2).value() == ShardState::Taken::already));
  BOOST_TEST(shard.value() == -0.2F);
}

// Goal: what another shard had applied is not applied again, and the rest completes its iteration.
BOOST_AUTO_TEST_CASE(what_it_takes_over_is_in_already) {
  OneParameter shard("a_dsp");
  BOOST_TEST(bool(shard.state().take_over({{1, 0, {0, 1}}, {2, 1, {3}}}, {})));
  BOOST_TEST(shard.state().groups().size() == 2u);
  BOOST_TEST((shard.push(1, {0, 1}, 2).value() == ShardState::Taken::already));
  BOOST_TEST(refused(shard.push(3, {1, 2}, 2)));
  BOOST_TEST(shard.value() == 0.0F);
  BOOST_TEST((shard.push(4, {2, 3}, 2).value() == ShardState::Taken::now));
  BOOST_TEST(shard.state().version() == 1u);
}

BOOST_AUTO_TEST_CASE(groups_that_cannot_have_been_applied_are_not_taken_over) {
  const std::vector<std::vector<Group>> impossible{
      {{1, 0, {4}}}, {{1, 0, {2, 2}}}, {{1, 0, {0, 1}}, {2, 0, {1}}}, {{1, 3, {0}}}};
  for (const auto& groups : impossible)
    BOOST_TEST(!OneParameter("a_dsp").state().take_over(groups, {}));
  BOOST_TEST(!OneParameter("bsp").state().take_over({{1, 0, {0}}}, {}));
  OneParameter committed("bsp");
  BOOST_TEST(bool(committed.state().take_over({}, {7})));
  BOOST_TEST((committed.state().last_commit() == std::vector<GroupId>{7}));
  BOOST_TEST(!committed.state().staging());
  BOOST_TEST(bool(committed.push(1, {0}, 1)));
  BOOST_TEST(committed.state().staging());
}

// Case C5.
BOOST_AUTO_TEST_CASE(what_is_not_a_number_is_refused_and_its_samples_are_named) {
  for (const char* mode : {"bsp", "a_dsp"})
    for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
      OneParameter shard(mode);
      const auto taken = shard.push(1, {0, 1}, bad);
      BOOST_REQUIRE(!taken);
      BOOST_TEST((taken.error().code == Errc::diverged));
      BOOST_TEST(taken.error().context.find("iteration 0, samples 0 to 1 of epoch 1: a value is "
                                            "not finite") != std::string::npos);
      BOOST_TEST(shard.value() == 0.0F);
    }
}

BOOST_AUTO_TEST_CASE(malformed_pushes_are_refused) {
  OneParameter shard("bsp");
  BOOST_TEST(refused(shard.push(1, {0, 4}, 2)));
  BOOST_TEST(refused(shard.push(1, {0, 0}, 2)));
  BOOST_TEST(refused(shard.push(1, {}, 2)));
  BOOST_TEST(refused(shard.push(1, {0}, 2, 99)));
  BOOST_TEST(refused(shard.push(1, {0}, 2, 0, 1)));
  BOOST_TEST(refused(shard.state().push({.group = {1, 0, {0}},
                                         .version = 0,
                                         .samples = 1,
                                         .learning_rate = 0.1,
                                         .floats = {},
                                         .fixed = {},
                                         .owner = {}})));
}

BOOST_AUTO_TEST_CASE(exact_sums_step_alike_however_they_are_grouped) {
  const auto step = [](const std::vector<std::vector<std::uint32_t>>& groups) {
    OneParameter shard("bsp", true);
    std::vector<GroupId> ids;
    for (const auto& blocks : groups) {
      FixedPointSum sum(1);
      for (const std::uint32_t block : blocks)
        BOOST_TEST(bool(sum.add(Floats{0.1F * static_cast<float>(block + 1)})));
      auto values =
          std::make_shared<const std::vector<std::int64_t>>(sum.sums().begin(), sum.sums().end());
      ids.push_back(ids.size() + 1);
      BOOST_TEST(bool(shard.state().push({.group = {ids.back(), 0, blocks},
                                          .version = 0,
                                          .samples = static_cast<std::uint32_t>(blocks.size()),
                                          .learning_rate = 0.1,
                                          .floats = {},
                                          .fixed = *values,
                                          .owner = values})));
    }
    BOOST_TEST(bool(shard.state().commit(0, ids)));
    return shard.value();
  };
  const float whole = step({{0, 1, 2, 3}});
  BOOST_TEST(whole < 0);
  BOOST_TEST(step({{3, 0}, {2, 1}}) == whole);
  BOOST_TEST(step({{3}, {1}, {2}, {0}}) == whole);
}

// Goal: a gradient that moves nothing in a block leaves it unchanged, however gradients are summed.
// Method: two blocks with momentum, of which only the second one's gradient is not zero.
BOOST_AUTO_TEST_CASE(a_block_without_gradient_or_momentum_is_unchanged) {
  constexpr std::size_t count = parameter_block + 5;
  for (const auto& [mode, reproducible] :
       {std::pair{"bsp", false}, std::pair{"bsp", true}, std::pair{"asp", false}}) {
    ShardState state({.plan = {.samples = 8, .batch = 2, .block = 1, .epochs = 1},
                      .optimizer = make_optimizer("sgd", {.momentum = 0.5}).value(),
                      .mode = make_sync_mode(mode, {.staleness_max = 3}).value(),
                      .damping = true,
                      .reproducible = reproducible},
                     {0, count}, 0, Floats(count, 1), {Floats(count)});
    const std::uint64_t start = state.mark();
    std::uint64_t later = start;
    for (std::uint64_t k = 0; k < 2; ++k) {
      const auto floats = std::make_shared<Floats>(count);
      std::vector<std::int64_t> fixed(count);
      floats->back() = k == 0 ? 1 : 0;
      fixed.back() = k == 0 ? 1 << 20 : 0;
      for (std::uint32_t block = 0; block < 2; ++block) {
        GroupGradient gradient{.group = {2 * k + block + 1, k, {block}},
                               .version = k,
                               .samples = 1,
                               .learning_rate = 0.1,
                               .floats = {},
                               .fixed = {},
                               .owner = floats};
        if (reproducible)
          gradient.fixed = fixed;
        else
          gradient.floats = *floats;
        BOOST_REQUIRE(bool(state.push(std::move(gradient))));
      }
      if (state.version() == k) BOOST_REQUIRE(bool(state.commit(k, {2 * k + 1, 2 * k + 2})));
      if (k == 0) later = state.mark();
    }
    // The momentum of the second one moves it on without a gradient.
    const std::vector<bool> second_changed{true, false};
    BOOST_TEST((state.unchanged_since(start) == second_changed));
    BOOST_TEST((state.unchanged_since(later) == second_changed));
  }
}

BOOST_AUTO_TEST_SUITE_END()

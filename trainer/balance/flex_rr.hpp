#pragma once

#include "trainer/balance/equal.hpp"

namespace slime::trainer {

/// Equal shares, and inside an iteration a worker that is done helps a slower one of its group:
/// RapidReassignment of FlexRR (Harlap et al., SoCC 2016), where each worker has a few helpers to
/// which it hands a part of its work when it sees that it is behind, and which combines this with
/// a bounded staleness (mode ssp).
///
/// Ours are the group, the next `helpers` workers by id, around the end, and the hand-over: the
/// coordinator gives a helper one block at a time, if it would end before the worker that has it.
/// Published is a first part of 2.5 % of an iteration, doubled with every further one.
class FlexRrPolicy final : public EvenPolicy {
 public:
  static constexpr std::uint32_t helpers = 2;

  std::string_view name() const override { return "flex_rr"; }
  WorkRules work_rules() const override { return {.helpers = helpers}; }
};

}  // namespace slime::trainer

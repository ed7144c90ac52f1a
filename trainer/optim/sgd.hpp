#pragma once

#include <memory>

#include "trainer/optim/optimizers.hpp"

namespace slime::trainer {

/// Stochastic gradient descent with heavy-ball momentum m (Polyak 1964) and weight decay d:
///
///     v <- m v + g + d p,   p <- p - lr v
///
/// with g the mean gradient of the iteration and one slot, v (none if m = 0).
///
/// A push of only f = samples / iteration_samples of an iteration brings its part g of that mean
/// and steps
///
///     v <- m^f v + g + f d p,   p <- p - lr (1 - m^f) / (1 - m) v
///
/// which is the above for f = 1. So the velocity fades over samples, not over pushes, and a
/// gradient moves the parameters by lr / (1 - m) times itself in the end, however finely iterations
/// are cut.
std::unique_ptr<Optimizer> make_sgd(const OptimizerSettings& settings);

}  // namespace slime::trainer

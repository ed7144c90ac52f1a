#pragma once

#include <memory>

#include "trainer/compute/backend.hpp"

namespace slime::trainer {

/// The backend on OpenBLAS. Sets OpenBLAS to one thread for the whole process: workers are the
/// parallelism here, and a sum split over threads would depend on their number.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace slime::trainer

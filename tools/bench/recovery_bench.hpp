#pragma once

#include "tools/bench/benchmark.hpp"

namespace slime::bench {

/// Kills processes of a job that trains on a cluster of this machine, again and again, and measures
/// how long it takes to recover, to about 5 ms.
/// - Of a worker: from SIGKILL until the iteration after the one that was under way is applied, by
///   when others have done all that it held. Beside it stands how long that takes with nobody
///   killed.
/// - Of a shard without standby: from SIGKILL until the first iteration after the rollback is
///   applied, by when it was started, has loaded the newest checkpoint, was pulled from and pushed
///   to. Its size is that of its values and momentum, half each.
/// - Of a shard with standby: from SIGKILL until the first iteration is applied after the standby
///   took over; that there was no rollback is checked. The two change places with every kill.
/// - Of the head: see `measure_killed_heads`.
/// The end of a process is known at once, as in `slime train`; a machine that falls silent is dead
/// after 3 s. A child is started again after 0.1 s, every time. Repetitions are kills.
int run_recovery(const Options& options);

}  // namespace slime::bench

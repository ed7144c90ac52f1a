#include "actors/training/usage_meter.hpp"

namespace slime::actors {

namespace {

constexpr Duration interval = std::chrono::seconds(1);

}  // namespace

Status UsageMeter::report(Instant now, schema::Measurement::Builder measured) {
  if (!source_ || (reported_ && now - *reported_ < interval)) return ok();
  const auto read = source_();
  if (!read) {
    source_ = {};
    return read.error();
  }
  auto usage = measured.initUsage();
  usage.setCpuSeconds(read->cpu_s);
  usage.setMemoryBytes(read->memory_bytes);
  usage.setRunQueue(read->run_queue);
  usage.setBytesIn(bytes_in_);
  usage.setBytesOut(bytes_out_);
  // Counters of a virtual machine may fall.
  const bool counts = reported_ && read->machine_ticks > last_.machine_ticks &&
                      read->steal_ticks >= last_.steal_ticks;
  if (counts)
    usage.setStealFraction(static_cast<double>(read->steal_ticks - last_.steal_ticks) /
                           static_cast<double>(read->machine_ticks - last_.machine_ticks));
  reported_ = now;
  last_ = *read;
  return ok();
}

}  // namespace slime::actors

#include "actors/training/performance_monitor.hpp"

#include "runtime/wire/address.hpp"

namespace slime::actors {

namespace {

// Weight of a new exchange or waiting time.
constexpr double smoothing = 0.2;

void smooth(double& level, double value) {
  level = level == 0 ? value : level + smoothing * (value - level);
}

}  // namespace

PerformanceMonitorActor::PerformanceMonitorActor(runtime::Host& host,
                                                 const Message<schema::MonitorSpec>& spec)
    : Actor(host) {
  on(&PerformanceMonitorActor::measured);
  on(&PerformanceMonitorActor::enlist);
  on(&PerformanceMonitorActor::forget);
  on(&PerformanceMonitorActor::save);
  spec.read([this](schema::MonitorSpec::Reader read) {
    coordinator_ = Coordinator{runtime::read_address(read.getCoordinator())};
    balancer_ = Balancer{runtime::read_address(read.getBalancer())};
    for (const auto filter : read.getFilters()) {
      const auto state = filter.getState();
      saved_[filter.getWorker()].assign(reinterpret_cast<const char*>(state.begin()), state.size());
    }
  });
}

void PerformanceMonitorActor::on_start() {
  watch(coordinator_);
}

void PerformanceMonitorActor::on_down(const ActorAddress&, const Error&) {
  stop();
}

void PerformanceMonitorActor::measured(const Message<schema::Measurement>& message) {
  message.read([&](schema::Measurement::Reader read) {
    const auto found = records_.find(read.getWorker());
    if (found == records_.end()) return;
    Record& record = found->second;
    const Status taken = record.speed.observe({.worker = WorkerId{read.getWorker()},
                                               .iteration = read.getIteration(),
                                               .samples = read.getSamples(),
                                               .compute_s = read.getComputeSeconds()});
    if (!taken) {
      log(runtime::LogLevel::warning, "ignored a measurement: " + taken.error().context);
      return;
    }
    record.samples = read.getSamples();
    smooth(record.fetch_s, read.getFetchSeconds());
    smooth(record.push_s, read.getPushSeconds());
    smooth(record.wait_s, read.getWaitSeconds());
    if (read.hasUsage()) record.usage = message;
    if (read.getIteration() <= iteration_) return;
    iteration_ = read.getIteration();
    announce();
  });
}

void PerformanceMonitorActor::announce() {
  const auto loads = Message<schema::Loads>::make([this](schema::Loads::Builder root) {
    root.setIteration(iteration_);
    auto workers = root.initWorkers(static_cast<unsigned>(records_.size()));
    unsigned at = 0;
    for (auto& [worker, record] : records_) {
      const auto speed = record.speed.estimate(iteration_);
      auto load = workers[at++];
      load.setWorker(worker);
      load.setFixedSeconds(speed.fixed_s);
      load.setSecondsPerSample(speed.sample_s);
      load.setNoise(speed.noise);
      load.setMeasurements(speed.measurements);
      load.setFetchSeconds(record.fetch_s);
      load.setPushSeconds(record.push_s);
      load.setWaitSeconds(record.wait_s);
      load.setIterationSeconds(speed.measurements > 0 ? speed.seconds(record.samples) : 0);
      load.setMeasured(speed.measurements > 0);
      load.setChanged(record.speed.changes() != record.changes_told);
      record.changes_told = record.speed.changes();
      record.usage.read([&load](schema::Measurement::Reader measured) {
        if (measured.hasUsage()) load.setUsage(measured.getUsage());
      });
    }
  });
  // Lost ones are replaced by the next iteration's.
  (void)tell(balancer_, loads);
  (void)tell(coordinator_, loads);
}

void PerformanceMonitorActor::enlist(const Message<schema::Enlist>& message) {
  const std::uint32_t worker = message.read([](auto read) { return read.getWorker(); });
  const auto [record, is_new] = records_.try_emplace(worker);
  const auto saved = saved_.extract(worker);
  if (!is_new || !saved) return;
  if (const Status restored = record->second.speed.restore(saved.mapped()); !restored)
    log(runtime::LogLevel::warning, restored.error().context);
}

void PerformanceMonitorActor::forget(const Message<schema::Forget>& message) {
  records_.erase(message.read([](auto read) { return read.getWorker(); }));
}

void PerformanceMonitorActor::save(const Message<schema::SaveFilters>&,
                                   runtime::Reply<schema::Filters> reply) {
  reply.send(Message<schema::Filters>::make([this](schema::Filters::Builder root) {
    auto filters = root.initFilters(static_cast<unsigned>(records_.size()));
    unsigned at = 0;
    for (const auto& [worker, record] : records_) {
      const std::string state = record.speed.save();
      filters[at].setWorker(worker);
      filters[at++].setState(
          capnp::Data::Reader(reinterpret_cast<const kj::byte*>(state.data()), state.size()));
    }
  }));
}

}  // namespace slime::actors

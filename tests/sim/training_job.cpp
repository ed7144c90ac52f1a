#include "tests/sim/training_job.hpp"

#include <fstream>

#include "runtime/base/random.hpp"
#include "runtime/wire/address.hpp"

namespace slime::tests {

using namespace std::chrono_literals;
using runtime::AnyMessage;
using runtime::Message;

namespace {

void write_idx(const std::filesystem::path& path, const std::vector<std::uint32_t>& dimensions,
               const std::vector<unsigned char>& values) {
  std::ofstream out(path, std::ios::binary);
  const auto put = [&out](unsigned value) { out.put(static_cast<char>(value)); };
  put(0), put(0), put(8), put(static_cast<unsigned>(dimensions.size()));
  for (const std::uint32_t dimension : dimensions)
    for (int shift = 24; shift >= 0; shift -= 8) put(dimension >> shift & 0xff);
  for (const unsigned char value : values) put(value);
}

void write_set(const TempDir& files, const std::string& name, std::uint32_t samples,
               std::uint64_t seed) {
  Random random(seed);
  std::vector<unsigned char> images, labels;
  for (std::uint32_t i = 0; i < samples; ++i) {
    const auto label = static_cast<unsigned char>(i < 3 ? i : random.below(3));
    labels.push_back(label);
    for (unsigned pixel = 0; pixel < 4; ++pixel)
      images.push_back(static_cast<unsigned char>((pixel == label ? 150 : 20) + random.below(80)));
  }
  write_idx(files.path() / (name + "-images"), {samples, 2, 2}, images);
  write_idx(files.path() / (name + "-labels"), {samples}, labels);
}

}  // namespace

unsigned told(const Message<schema::Progress>& progress, std::string_view part) {
  unsigned count = 0;
  progress.read([&](schema::Progress::Reader read) {
    for (const auto event : read.getEvents())
      count += std::string_view(event.getText().cStr()).find(part) != std::string_view::npos;
  });
  return count;
}

void write_small_data(const TempDir& files) {
  write_set(files, "train", 103, 1);
  write_set(files, "test", 20, 2);
}

TrainingJob::TrainingJob(std::uint64_t seed, const runtime::LinkModel& link,
                         const Settings& settings, const TempDir& files,
                         runtime::Catalogue catalogue)
    : settings_(settings), files_(files), cluster_(seed, link, std::move(catalogue)) {
  cluster_.add_node("head", {"head"});
  for (std::size_t i = 0; i < settings.workers + settings.shards; ++i)
    nodes_.push_back(cluster_.add_node(node_name(i), {i < settings.workers ? "worker" : "shard"}));
  submit(settings);
}

void TrainingJob::submit(const Settings& settings) {
  settings_ = settings;
  // Nothing that happens depends on which one it is.
  run_ = actors::RunId{random_node_id().low};
  const auto request = Message<schema::Supervise>::make([&](schema::Supervise::Builder root) {
    const auto words = spec().words();
    root.setName("job/small/coordinator");
    root.setRole("head");
    root.getRule().setMaxRestarts(1000);
    auto spawn = root.initSpawn();
    spawn.setType("coordinator");
    spawn.setSpecType(runtime::type_id<schema::CoordinatorSpec>());
    spawn.setSpec(
        capnp::Data::Reader(reinterpret_cast<const kj::byte*>(words.data()), words.bytes()));
  });
  simulation().ask(cluster_.supervisor().address, request.any(), 60s, [](const AnyMessage&) {});
}

void TrainingJob::abandon() {
  (void)simulation().call(cluster_.supervisor(), Message<schema::Release>::make([](auto root) {
                            root.setName("job/small/coordinator");
                          }));
  kill_coordinator();
}

void TrainingJob::kill_coordinator() {
  if (const auto coordinator = find("coordinator"))
    (void)simulation().kill_actor(*coordinator, {Errc::internal, "by the test"});
}

std::string TrainingJob::node_name(std::size_t index) const {
  return index < settings_.workers ? "worker-" + std::to_string(index)
                                   : "shard-" + std::to_string(index - settings_.workers);
}

void TrainingJob::replace_node(std::size_t index) {
  simulation().kill_node(nodes_[index]);
  nodes_[index] =
      cluster_.add_node(node_name(index), {index < settings_.workers ? "worker" : "shard"});
}

Message<schema::CoordinatorSpec> TrainingJob::spec() const {
  const Settings& settings = settings_;
  return Message<schema::CoordinatorSpec>::make([&](schema::CoordinatorSpec::Builder root) {
    runtime::write_address(root.initMembership(), cluster_.membership().address);
    runtime::write_address(root.initDirectory(), cluster_.directory().address);
    root.setResume(settings.resume);
    settings.from.read([&](schema::CheckpointChoice::Reader read) { root.setFrom(read); });
    root.setRun(static_cast<std::uint64_t>(run_));
    auto job = root.initJob();
    job.setName("small");
    job.setWorkers(settings.workers);
    job.setShards(settings.shards);
    job.setEpochs(settings.epochs);
    job.setBatch(settings.batch);
    job.setBlock(settings.block);
    job.setSeed(settings.seed);
    job.setDevice(settings.device);
    if (settings.reproducible) job.setReduction(schema::Reduction::REPRODUCIBLE);
    job.initSync().setMode(settings.mode);
    job.getSync().setStalenessMax(settings.staleness_max);
    job.initBalance().setPolicy(settings.policy);
    job.getBalance().setFastReassignment(settings.reassign);
    // Two blocks of parameters, so that two shards hold some and a third one none.
    auto layers = job.initModel().initLayers(2);
    layers.set(0, "dense 3000 relu");
    layers.set(1, "dense 3");
    job.initOptimizer().setMomentum(0.5);
    job.getOptimizer().setLearningRate(settings.learning_rate);
    job.getOptimizer().setSchedule(settings.schedule);
    auto data = job.initData();
    const auto list = [&](auto texts, const std::string& name) {
      texts.set(0, (files_.path() / (name + "-images")).string());
      texts.set(1, (files_.path() / (name + "-labels")).string());
    };
    list(data.initTrain(2), "train");
    list(data.initTest(2), "test");
    auto checkpoint = job.initCheckpoint();
    if (settings.checkpoint_every > 0) {
      checkpoint.setDirectory((files_.path() / settings.directory).string());
      checkpoint.setEveryIterations(settings.checkpoint_every);
      checkpoint.setKeep(settings.keep);
      checkpoint.setKeepBest(settings.keep_best);
      checkpoint.setKeepEvery(settings.keep_every);
    }
    job.initEvaluate().setEveryIterations(settings.evaluate_every);
    auto emulate = job.initEmulate();
    emulate.setSampleUs(1000);
    auto speeds = emulate.initSpeeds(static_cast<unsigned>(settings.speeds.size()));
    for (unsigned i = 0; i < speeds.size(); ++i) speeds.set(i, settings.speeds[i]);
    if (settings.adjust) settings.adjust(job);
  });
}

std::optional<ActorAddress> TrainingJob::find(const std::string& name) {
  const actors::JobNames names("small", run_);
  const auto found = simulation().call(
      cluster_.directory(), Message<schema::Lookup>::make([&](schema::Lookup::Builder root) {
        root.setName(name == "coordinator" ? names.prefix() + name : names.of(name));
      }));
  if (!found) return std::nullopt;
  return found->read([](auto read) { return runtime::read_address(read.getAddress()); });
}

std::optional<Message<schema::Progress>> TrainingJob::run(Duration limit) {
  const Instant end = simulation().now() + limit;
  std::optional<Message<schema::Progress>> last;
  while (simulation().now() < end) {
    simulation().run_until(simulation().now() + 100ms);
    const auto coordinator = find("coordinator");
    if (!coordinator) continue;
    const auto progress = simulation().call(actors::Coordinator{*coordinator},
                                            Message<schema::GetProgress>::make(), 5s);
    if (!progress) continue;
    last = *progress;
    const auto state = last->read([](auto read) { return read.getState(); });
    if (state == schema::JobState::FINISHED || state == schema::JobState::FAILED ||
        state == schema::JobState::STOPPED)
      break;
  }
  return last;
}

}  // namespace slime::tests

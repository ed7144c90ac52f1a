#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"

namespace slime::actors {

namespace {

capnp::Data::Reader bytes_of(const runtime::Words& words) {
  return {reinterpret_cast<const kj::byte*>(words.data()), words.bytes()};
}

runtime::Words words_of(capnp::Data::Reader data) {
  return runtime::Words::copy(std::as_bytes(std::span(data.begin(), data.size())));
}

}  // namespace

runtime::Message<schema::CheckpointManifest> CoordinatorActor::write_manifest() const {
  const auto shares = Message<schema::Shares>::make([this](schema::Shares::Builder root) {
    auto list = root.initShares(static_cast<unsigned>(next_shares_.size()));
    unsigned at = 0;
    for (const auto& [worker, blocks] : next_shares_) {
      list[at].setWorker(static_cast<std::uint32_t>(worker));
      list[at++].setBlocks(blocks);
    }
  });
  const auto& plan = ledger_->plan();
  const std::uint64_t iteration = checkpoint_->iteration;
  return Message<schema::CheckpointManifest>::make([&](schema::CheckpointManifest::Builder root) {
    root.setIteration(iteration);
    root.setTerm(term_);
    root.setRunTerm(run_term_);
    root.setRun(spec_.read([](auto read) { return read.getRun(); }));
    root.setEpoch(plan.epoch_of(iteration));
    root.setVersion(iteration);
    root.setSamples(plan.samples_before(iteration));
    root.setPosition(plan.position_of(iteration));
    root.setJob(job());
    const auto model = trainer::Model::build(layer_texts(job()), description_->inputs);
    auto tensors = root.initTensors(static_cast<unsigned>(model->tensors().size()));
    for (unsigned i = 0; i < tensors.size(); ++i) {
      const trainer::Tensor& tensor = model->tensors()[i];
      tensors[i].setName(tensor.name);
      tensors[i].setOffset(tensor.offset);
      auto shape = tensors[i].initShape(static_cast<unsigned>(tensor.shape.size()));
      for (unsigned d = 0; d < shape.size(); ++d) shape.set(d, tensor.shape[d]);
    }
    write_parts(root);
    root.setShares(bytes_of(shares.words()));
    root.setMonitor(bytes_of(checkpoint_->filters.words()));
    root.setAccuracy(checkpoint_->accuracy);
    write_history(root.initHistory());
    root.setWallTimeUs(wall_clock_us());
    root.setSlimeVersion(SLIME_VERSION);
  });
}

void CoordinatorActor::write_parts(schema::CheckpointManifest::Builder root) const {
  std::vector<Message<schema::PartSaved>> parts;
  for (const auto& [shard, saved] : checkpoint_->parts)
    // Shards beyond the model's last block have no part.
    if (saved.read([](auto read) { return read.getPart().getCount(); }) > 0) parts.push_back(saved);
  auto list = root.initParts(static_cast<unsigned>(parts.size()));
  for (unsigned i = 0; i < list.size(); ++i)
    parts[i].read([&](schema::PartSaved::Reader read) { list.setWithCaveats(i, read.getPart()); });
}

bool CoordinatorActor::resumes() const {
  return spec_.read([](auto read) { return read.getResume(); });
}

std::uint64_t CoordinatorActor::manifest_iteration() const {
  return manifest_->read([](auto read) { return read.getIteration(); });
}

std::uint64_t CoordinatorActor::manifest_run() const {
  return manifest_->read([](auto read) { return read.getRunTerm(); });
}

void CoordinatorActor::restore_advice() {
  manifest_->read([this](schema::CheckpointManifest::Reader manifest) {
    if (manifest.getMonitor().size() > 0)
      saved_filters_ = Message<schema::Filters>::adopt(words_of(manifest.getMonitor()));
    // What the balancer says now is newer than what it said then.
    if (manifest.getShares().size() == 0 || !next_shares_.empty()) return;
    Message<schema::Shares>::adopt(words_of(manifest.getShares()))
        .read([this](schema::Shares::Reader read) {
          for (const auto share : read.getShares())
            next_shares_[WorkerId{share.getWorker()}] = share.getBlocks();
        });
  });
}

}  // namespace slime::actors

#include <algorithm>
#include <filesystem>
#include <utility>

#include "actors/training/coordinator.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr Duration load_deadline = 120s;
constexpr Duration load_retry = 500ms;
// A disk or a network that fails for a moment is no lost checkpoint.
constexpr int unread_tries_max = 10;

}  // namespace

bool CoordinatorActor::chooses() const {
  return spec_.read([](schema::CoordinatorSpec::Reader read) {
    const auto from = read.getFrom();
    return read.getResume() && (from.getDirectory().size() > 0 || !from.getCheckpoint().isNewest());
  });
}

bool CoordinatorActor::may_be_read_later(Errc code) {
  if (code == Errc::io_error && ++unread_tries_ < unread_tries_max) return true;
  unread_tries_ = 0;
  return false;
}

void CoordinatorActor::read_chosen(std::function<void(Status)> done) {
  if (job().getCheckpoint().getDirectory().size() == 0)
    return done(Error{Errc::not_found,
                      "resuming: the job names no checkpoint.directory, where its own checkpoints "
                      "would go"});
  const auto request = Message<schema::LoadChosen>::make([this](schema::LoadChosen::Builder root) {
    spec_.read([&](schema::CoordinatorSpec::Reader read) { root.setChoice(read.getFrom()); });
    if (history_.resumed_from < 0) return;
    // The best, or the newest, may be another one by now.
    auto exact = root.getChoice().getCheckpoint().initExact();
    exact.setTerm(history_.resumed_term);
    exact.setIteration(static_cast<std::uint64_t>(history_.resumed_from));
  });
  ask_chosen(request, load_deadline,
             [this, done = std::move(done)](Result<Message<schema::ChosenLoaded>> loaded) {
               if (ended()) return;
               const auto newest = std::exchange(manifest_, std::nullopt);
               forget_checkpoint();
               if (!loaded) return done(loaded.error());
               const std::string from = spec_.read([](schema::CoordinatorSpec::Reader read) {
                 return std::string(read.getFrom().getDirectory().cStr());
               });
               loaded->read([&](schema::ChosenLoaded::Reader read) { take_chosen(read, from); });
               const auto same = [this](schema::CheckpointManifest::Reader read) {
                 return read.getIteration() == manifest_iteration() &&
                        read.getTerm() == manifest_->read([](auto own) { return own.getTerm(); });
               };
               branches_ = !restore_from_.empty() || !newest || !newest->read(same);
               done(ok());
             });
}

void CoordinatorActor::take_chosen(schema::ChosenLoaded::Reader loaded,
                                   const std::string& directory) {
  for (const auto skipped : loaded.getSkipped())
    event(std::string("skipped a checkpoint that is not whole: ") + skipped.cStr());
  manifest_ = Message<schema::CheckpointManifest>::copy(loaded.getManifest());
  const std::filesystem::path named = directory;
  const std::filesystem::path own = job().getCheckpoint().getDirectory().cStr();
  // Whether or not they end with a slash.
  restore_from_ = named / "" == own / "" ? "" : directory;
  // Its own term counts as well: one day both may lie in one directory.
  latest_term_ = std::max(latest_term_, loaded.getManifest().getTerm());
  restore_advice();
}

void CoordinatorActor::ask_chosen(const Message<schema::LoadChosen>& request, Duration deadline,
                                  std::function<void(Result<Message<schema::ChosenLoaded>>)> done) {
  with_head_store([=, this, done = std::move(done)](Checkpointer store) {
    ask(store, request, deadline, [=, this](Result<Message<schema::ChosenLoaded>> loaded) {
      const Errc code = loaded ? Errc{} : loaded.error().code;
      // Lost, or too large to be read in time; or the checkpointer died, and gets a successor.
      const bool late = code == Errc::timeout;
      const bool again = late || code == Errc::unavailable || may_be_read_later(code);
      if (!again) return done(loaded);
      after(load_retry, [=, this] { ask_chosen(request, late ? 2 * deadline : deadline, done); });
    });
  });
}

}  // namespace slime::actors

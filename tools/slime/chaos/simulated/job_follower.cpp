#include "tools/slime/chaos/simulated/job_follower.hpp"

#include <capnp/message.h>

#include <utility>
#include <vector>

#include "runtime/actor/failure.hpp"
#include "runtime/wire/address.hpp"

namespace slime::tools {

using namespace std::chrono_literals;

namespace {

constexpr Duration answer_within = 1s;
// As the coordinator says it.
constexpr std::string_view refused_commit = "a shard refused a commit";

}  // namespace

JobFollower::JobFollower(Stage& stage, const std::string& job, RunTrace& trace,
                         DirectoryHistory& directory)
    : stage_(stage), name_("job/" + job + "/coordinator"), trace_(trace), directory_(directory) {}

void JobFollower::begin(bool resume) {
  line([resume](schema::RecordLine::Builder root) { root.initHeader().setResume(resume); });
}

void JobFollower::line(const std::function<void(schema::RecordLine::Builder)>& fill) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::RecordLine>();
  fill(root);
  trace_.add(root.asReader());
}

template <class P, class Q>
void JobFollower::ask(const runtime::Ref<P>& to, const runtime::Message<Q>& question,
                      std::function<void(const Message&)> done) {
  asking_ = true;
  stage_.simulation().ask(to.address, question.any(), answer_within,
                          [this, done = std::move(done)](const Message& answer) {
                            asking_ = false;
                            if (!runtime::failure_of(answer)) done(answer);
                          });
}

void JobFollower::look() {
  if (asking_ || end_) return;
  ask(stage_.cluster().directory(),
      runtime::Message<schema::ListNames>::make([](auto root) { root.setPrefix("job/"); }),
      [this](const Message& answer) { listed(answer); });
}

void JobFollower::listed(const Message& answer) {
  std::vector<DirectoryHistory::Binding> bindings;
  runtime::Message<schema::Names>::adopt(answer.words).read([&](schema::Names::Reader names) {
    for (const auto binding : names.getNames())
      bindings.emplace_back(binding.getName().cStr(), runtime::read_address(binding.getAddress()));
  });
  directory_.saw(bindings);
  for (const auto& [name, address] : bindings)
    if (name == name_) {
      coordinator_ = actors::Coordinator{address};
      return ask_progress();
    }
}

void JobFollower::ask_progress() {
  if (coordinator_.address != recorded_) next_event_ = 0;
  ask(coordinator_, runtime::Message<schema::GetProgress>::make([this](auto root) {
        root.setEventsFrom(next_event_);
      }),
      [this](const Message& answer) { told(answer); });
}

void JobFollower::told(const Message& answer) {
  progress_ = runtime::Message<schema::Progress>::adopt(answer.words);
  progress_.read([this](schema::Progress::Reader read) {
    next_event_ = read.getNextEvent();
    for (const auto event : read.getEvents()) last_words_ = event.getText().cStr();
    if (read.getFailure().getCode() != 0) last_words_ = read.getFailure().getContext().cStr();
  });
  ask_record();
}

void JobFollower::ask_record() {
  if (coordinator_.address != recorded_) {
    // What the one before had not told yet is lost.
    if (recorded_) line([](schema::RecordLine::Builder root) { root.initGap(); });
    recorded_ = coordinator_.address;
    next_entry_ = 0;
  }
  ask(coordinator_,
      runtime::Message<schema::GetRecord>::make([this](auto root) { root.setFrom(next_entry_); }),
      [this](const Message& answer) { recorded(answer); });
}

void JobFollower::recorded(const Message& answer) {
  bool more = false;
  runtime::Message<schema::Record>::adopt(answer.words).read([&](schema::Record::Reader record) {
    if (record.getLost() > 0) line([](schema::RecordLine::Builder root) { root.initGap(); });
    for (const auto entry : record.getEntries()) {
      if (entry.isRolledBack()) {
        const std::string_view reason = entry.getRolledBack().getReason().cStr();
        if (reason.find(refused_commit) != std::string_view::npos) lost_update_ = reason;
      }
      line([&](schema::RecordLine::Builder root) { root.setEntry(entry); });
    }
    next_entry_ = record.getNext();
    more = record.getMore();
  });
  if (more) return ask_record();
  progress_.read([this](schema::Progress::Reader read) {
    if (read.getState() > schema::JobState::TRAINING) ended(read);
  });
}

void JobFollower::ended(schema::Progress::Reader progress) {
  end_ = progress.getState();
  line([&](schema::RecordLine::Builder root) {
    auto end = root.initEnd();
    end.setState(progress.getState());
    end.setReason(progress.getFailure().getContext());
    end.setProgress(progress);
  });
}

}  // namespace slime::tools

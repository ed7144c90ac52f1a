#pragma once

#include <memory>
#include <optional>

#include "actors/training/gradient_source.hpp"
#include "actors/training/lead_time.hpp"
#include "actors/training/parameter_fetch.hpp"
#include "actors/training/protocols.hpp"
#include "actors/training/task_queue.hpp"
#include "actors/training/usage_meter.hpp"
#include "runtime/actor/actor.hpp"
#include "trainer/emulate/pace.hpp"

namespace slime::actors {

/// Pulls, computes, pushes. Asks the coordinator what to do next; computes what it is granted one
/// lease a turn, so that its mailbox is read in between; seals what it computed and pushes the sum.
/// Outside committed modes the next group and its parameters are asked for while the last blocks
/// of the one before are computed, and one is sealed and pushed beside computing the next.
/// Whatever it does belongs to a term; `Begin` of a newer one drops it all.
/// Blocks its thread while computing, so it is spawned with one of its own.
class WorkerActor : public runtime::Actor<WorkerProtocol> {
 public:
  /// @param usage  What it reports of its machine; empty: nothing.
  WorkerActor(runtime::Host& host, const runtime::Message<schema::WorkerSpec>& spec,
              std::unique_ptr<GradientSource> source, const UsageMeter::Source& usage = {});

 private:
  template <class T>
  using Message = runtime::Message<T>;
  template <class T>
  using Reply = runtime::Reply<T>;

  struct Test {
    std::uint64_t round, first, count, version;
  };
  struct Outgoing {
    trainer::GroupId group = 0;
    std::size_t unanswered = 0;
    Instant since{};
  };

  void on_start() override;
  void describe(const Message<schema::Describe>&, Reply<schema::Description> reply);
  void begin(const Message<schema::Begin>& request, Reply<schema::Begun> reply);

  Status load();
  /// Does whatever can be done now; called after every event.
  void proceed();
  bool next_is_due() const;
  void ask_next();
  void granted(const Message<schema::Grant>& grant, bool ahead);
  void lease(schema::Lease::Reader lease, bool ahead);
  void fetch(std::uint64_t min_version);
  /// Whether parameters of this version or newer are at hand; if not, they are fetched and
  /// `proceed` is called then.
  bool have_parameters(std::uint64_t min_version);
  void compute(Task& task);
  /// Computes these blocks of `task` and says when they are done, which is later than now on an
  /// emulated machine; nothing when the job has ended over it.
  std::optional<Instant> add(Task& task, const std::vector<std::uint32_t>& blocks);
  void computed();
  /// Asks for the next group and its parameters shortly before an emulated computation ends.
  void look_ahead_before(Instant end, bool fetches);
  /// Seals or pushes the oldest group if it is computed and the push before is through.
  void send_off();
  void seal(const Task& task);
  void push(const Task& task, trainer::GroupId group);
  void pushed(const Result<Message<schema::Pushed>>& answer);
  void complete(trainer::GroupId group, const Error* failure);
  void evaluate();
  /// Ends the job: no repetition can mend this.
  void give_up(const Error& error);

  Message<schema::WorkerSpec> spec_;
  std::uint32_t worker_ = 0;
  bool committed_ = false;  ///< The mode's: parameters of exactly one version.
  Status loaded_ = ok();
  std::unique_ptr<GradientSource> source_;
  trainer::BlockGradients* gradients_ = nullptr;  ///< The source's.
  std::optional<trainer::Pace> pace_;
  trainer::WorkPlan plan_;

  std::uint64_t term_ = 0;
  Coordinator coordinator_;
  std::optional<ParameterFetch> fetch_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t seal_sequence_ = 0;
  bool asked_next_ = false;
  bool sealing_ = false;  ///< The oldest task.
  bool computing_ = false;
  bool near_end_ = true;  ///< Of the present computation, if there is one: time to look ahead.
  bool finished_ = false;
  Instant busy_until_{};       ///< End of the last computation, emulated time included.
  bool back_to_back_ = false;  ///< The next computation starts at `busy_until_`, when emulated.
  Instant run_started_{};      ///< When the run's time was 0, on this clock.
  double push_s_ = 0;
  LeadTime push_time_;
  LeadTime answer_time_;  ///< Of the coordinator, where it answers at once.
  LeadTime grant_time_;   ///< The same, where it waits for something to do.
  std::optional<TaskQueue> tasks_;
  std::optional<Test> test_;
  std::optional<Outgoing> outgoing_;
  UsageMeter usage_;
};

}  // namespace slime::actors

#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "actors/training/parameter_fetch.hpp"
#include "actors/training/protocols.hpp"
#include "runtime/actor/actor.hpp"
#include "trainer/emulate/pace.hpp"
#include "trainer/gradient/block_gradients.hpp"
#include "trainer/gradient/gradient_sum.hpp"
#include "trainer/sync/work_ledger.hpp"

namespace slime::actors {

/// Pulls, computes, pushes. Asks the coordinator what to do next; computes what it is granted one
/// lease a turn, so that its mailbox is read in between; seals what it computed and pushes the sum.
/// The next lease and, outside committed modes, the next parameters are asked for while the last
/// blocks are computed. Whatever it does belongs to a term; `Begin` of a newer one drops it all.
/// Blocks its thread while computing, so it is spawned with one of its own.
class WorkerActor : public runtime::Actor<WorkerProtocol> {
 public:
  WorkerActor(runtime::Host& host, const runtime::Message<schema::WorkerSpec>& spec);

 private:
  template <class T>
  using Message = runtime::Message<T>;
  template <class T>
  using Reply = runtime::Reply<T>;

  /// The group being computed, or an evaluation when `test` is set.
  struct Task {
    std::uint64_t iteration = 0;
    trainer::GroupId group = 0;  ///< Not 0: issued again; pushed without sealing.
    std::uint64_t min_version = 0;
    std::deque<std::uint32_t> queue;      ///< Granted and not yet computed.
    std::vector<std::uint32_t> computed;  ///< In the sum.
    bool last = false;                    ///< Its own part of the iteration is all granted.
    std::uint64_t version = 0;            ///< Of the parameters it is computed at.
    std::uint32_t samples = 0;
    double learning_rate = 0;
    double compute_s = 0;
    double wait_s = 0;
  };
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
  void ask_next();
  void granted(const Message<schema::Grant>& grant);
  void lease(schema::Lease::Reader lease);
  void fetch(std::uint64_t min_version);
  /// Whether parameters of this version or newer are at hand; if not, they are fetched and
  /// `proceed` is called then.
  bool have_parameters(std::uint64_t min_version);
  void compute();
  void computed();
  /// Fetches the next group's parameters shortly before an emulated computation ends.
  void prefetch_before(Instant end);
  void seal();
  void push(trainer::GroupId group);
  void pushed(const Result<Message<schema::Pushed>>& answer);
  void complete(trainer::GroupId group, const Error* failure);
  void evaluate();
  /// Ends the job: no repetition can mend this.
  void give_up(const Error& error);

  Message<schema::WorkerSpec> spec_;
  std::uint32_t worker_ = 0;
  bool committed_ = false;  ///< The mode's: parameters of exactly one version.
  Status loaded_ = ok();
  std::unique_ptr<trainer::BlockGradients> gradients_;
  std::optional<trainer::Pace> pace_;
  std::optional<trainer::GradientSum> sum_;
  trainer::WorkPlan plan_;

  std::uint64_t term_ = 0;
  Coordinator coordinator_;
  std::optional<ParameterFetch> fetch_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t seal_sequence_ = 0;
  bool asked_next_ = false;
  bool seal_wanted_ = false;
  bool sealing_ = false;
  bool computing_ = false;
  bool finished_ = false;
  Instant busy_until_{};       ///< End of the last computation on the emulated machine.
  bool back_to_back_ = false;  ///< The next computation starts at `busy_until_`.
  Instant run_started_{};      ///< When the run's time was 0, on this clock.
  double push_s_ = 0;
  std::optional<Task> task_;
  std::optional<Test> test_;
  std::optional<Outgoing> outgoing_;
  std::optional<Message<schema::Grant>> held_grant_;
};

}  // namespace slime::actors

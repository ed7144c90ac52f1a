#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/training/coordinator_books.hpp"
#include "actors/training/crew_agreement.hpp"
#include "actors/training/job_history.hpp"
#include "actors/training/job_names.hpp"
#include "actors/training/protocols.hpp"
#include "actors/training/record_ring.hpp"
#include "actors/training/run_clock.hpp"
#include "actors/training/shard_slot.hpp"
#include "actors/training/store_slot.hpp"
#include "actors/training/worker_slot.hpp"
#include "runtime/actor/actor.hpp"
#include "runtime/placement/policy.hpp"
#include "trainer/balance/policy.hpp"
#include "trainer/optim/parameter_range.hpp"
#include "trainer/optim/schedules.hpp"
#include "trainer/sync/sync_mode.hpp"

namespace slime::actors {

/// Sequences a job's iterations, grants its work and decides who may start. Who computes what is
/// `trainer::WorkLedger`'s; the coordinator speaks for it: it recruits workers and shards, carries
/// grants and seals, commits iterations, stops at boundaries to evaluate and to save, replaces the
/// dead, and rolls the job back when parameters are lost.
///
/// Everything it says belongs to its *term*, which each rollback and each new coordinator raises.
/// It dies without harm: its successor, of the same run, adopts what it finds of it in the
/// directory. What another run has left there is ended.
///
/// Sources: coordinator.cpp (leases), coordinator_crew.cpp (workers), coordinator_agreement.cpp,
/// coordinator_deployment.cpp (shards and stores), coordinator_standbys.cpp (their standbys),
/// coordinator_succession.cpp (taking over from a dead one), coordinator_choice.cpp (what it was
/// told to go on from), coordinator_boundary.cpp (evaluation, the end), coordinator_saving.cpp,
/// coordinator_copies.cpp and coordinator_manifest.cpp (checkpoints), coordinator_history.cpp,
/// coordinator_progress.cpp and coordinator_record.cpp (reports).
class CoordinatorActor : public runtime::Actor<CoordinatorProtocol>, CoordinatorBooks {
 public:
  CoordinatorActor(runtime::Host& host, const runtime::Message<schema::CoordinatorSpec>& spec);

 private:
  template <class T>
  using Message = runtime::Message<T>;
  template <class T>
  using Reply = runtime::Reply<T>;

  void on_start() override;
  void on_down(const ActorAddress& target, const Error& why) override;

  // Leases: coordinator.cpp.
  void next(const Message<schema::Next>& request, Reply<schema::Grant> reply);
  void seal(const Message<schema::Seal>& request, Reply<schema::Sealed> reply);
  void complete(const Message<schema::Complete>& request, Reply<schema::Completed> reply);
  void loads(const Message<schema::Loads>& message);
  void shares(const Message<schema::Shares>& message);
  template <class T>
  WorkerSlot* serving(std::uint32_t worker, std::uint64_t term, Reply<T>& reply);
  void offer_all();
  bool offer(std::uint32_t worker);
  void answer(WorkerSlot& slot, const Message<schema::Grant>& grant);
  Message<schema::Grant> lease(const trainer::Work& work) const;
  void commit_ready_iterations();
  void send_commit(std::uint64_t iteration, const std::vector<trainer::GroupId>& groups);
  void tick();
  trainer::LedgerRules ledger_rules();

  // Workers and advisers: coordinator_crew.cpp.
  void members(const Message<schema::Members>& message);
  void recruit();
  /// @param nodes  Where it may go, with the workers that each has; its own is added.
  void recruit_into(std::uint32_t worker, std::vector<runtime::Candidate>& nodes);
  /// Workers on each node that has any.
  std::unordered_map<NodeId, std::size_t> workers_by_node() const;
  /// Workers that died there while they loaded their data, since one last did. Each weighs as half
  /// a worker, so that other nodes are preferred.
  std::size_t lost_on(NodeId node) const;
  /// Has workers that share a node move to nodes that have none.
  void spread_out();
  void start_when_ready();
  void vacate(std::uint32_t worker, const std::string& why, Duration pause);
  void begin(std::uint32_t worker);
  /// The living members that may be given something, without what is placed there.
  std::vector<runtime::Candidate> candidates() const;
  std::optional<runtime::Candidate> place(const std::string& role,
                                          const std::function<std::size_t(NodeId)>& load) const;
  void spawn(const runtime::Candidate& node, const std::string& type,
             const runtime::AnyMessage& spec, std::function<void(Result<ActorAddress>)> done);
  void spawn_again(const NodeAgent& agent, const Message<schema::Spawn>& request, int attempts,
                   std::function<void(Result<ActorAddress>)> done);
  void register_name(
      const std::string& name, const ActorAddress& address, std::function<void()> done = [] {});
  Directory directory() const;
  /// Of an actor that the spec names.
  ActorAddress as_it_is_now(schema::ActorAddress::Reader spec) const;

  // What the workers agree on: coordinator_agreement.cpp.
  void ask_description(std::uint32_t worker, const Worker& ref);
  void described(std::uint32_t worker, const Result<Message<schema::Description>>& answer);
  /// Decides what the job's data are, once enough workers agree. Vacant places are waited for until
  /// it is `late`; workers that load their data until they are silent.
  void settle_crew(bool late);
  /// Does without a worker that has not told of its data for very long; it may come later.
  void fell_silent(std::uint32_t worker);
  /// Fails the job if nobody has told of its data, and in every place workers died over it many
  /// times or one is silent; one at least must have died.
  /// @param last  What just happened.
  void fail_if_hopeless(const std::string& last);
  /// Who cannot take part, for people who wonder what the job waits for.
  void tell_failures();
  Status settle_on(const CrewTraits& traits);
  /// Empties its place.
  void worker_died(std::uint32_t worker, const std::string& why);
  /// Has a worker that does not agree replaced. False: it does, or is not known yet.
  bool refuse_misfit(std::uint32_t worker);

  // Shards and stores: coordinator_deployment.cpp.
  void store_died(const StoreSlot& store, const std::string& why);
  void shard_died(std::size_t index, const std::string& why);
  void shard_not_started(std::size_t index, NodeId node, const Error& why);
  /// Deploys the shards again, until what killed this one has killed too many in a row.
  void start_lost(const std::string& why);
  void with_store(const runtime::Candidate& node, std::function<void(Checkpointer)> done);
  void open_store(const runtime::Candidate& node);
  void lock_store(const runtime::Candidate& node, Checkpointer checkpointer, Instant patience);
  void store_ready(NodeId node, Checkpointer checkpointer);
  void with_head_store(std::function<void(Checkpointer)> done);
  void deploy();
  /// Errors: invalid_argument (a shard's parameters do not fit into a message).
  Status check_shard_size() const;
  /// What shards and standbys are told alike.
  void write_shard(schema::ShardSpec::Builder root, std::size_t index) const;
  void deploy_shard(std::size_t index, const runtime::Candidate& node, Checkpointer store);
  void shard_prepared(std::size_t index, const Error* failure);
  void begin_term(std::uint64_t start);
  /// Keeps the books from iteration `start` on, under this term.
  void open_ledger(std::uint64_t start);
  /// @param begun  Some of iteration `start` was pushed before, so what was due there is over.
  void start_training(std::uint64_t start, bool begun = false);
  void plan_from(std::uint64_t start, bool begun);
  void roll_back(const std::string& why);
  /// Stops what is under way. Workers keep their places and wait for the next term.
  void suspend();
  /// Has an actor that is no longer wanted ended.
  void dismiss(const ActorAddress& actor, const std::string& why, int attempts = 3);
  void hire_advisers();
  void enlist_all();
  /// Stops the run's clock or sets it going.
  void set_clock(bool ticking);
  void tell_run_time();
  std::string name_of(const std::string& actor) const { return names_.of(actor); }

  // Standbys: coordinator_standbys.cpp.
  /// Sees to it that each shard has one, on another node where there is one.
  void place_standbys();
  void place_standby(std::size_t shard);
  void start_standby(std::size_t shard, const runtime::Candidate& node);
  void fill_standby(std::size_t shard);
  void standby_ready(std::size_t shard);
  void standby_lost(const Message<schema::StandbyLost>& request,
                    Reply<schema::StandbyLostTaken> reply);
  /// @param what  Became of it.
  void lose_standby(std::size_t shard, const std::string& what);
  /// Shards and standbys on each node that has any.
  std::unordered_map<NodeId, std::size_t> shards_by_node() const;
  /// Puts a dead shard's standby in its place. False: it has none that could take it.
  bool promote(std::size_t shard, const std::string& why);
  /// Goes on under a new term with what the shards have.
  void go_on_with_standbys();
  void adopt_promoted(const std::vector<Message<schema::Inventory>>& inventories);
  /// What was acknowledged and is not there; empty: nothing.
  std::string missing_from(schema::Inventory::Reader inventory) const;

  // Succession: coordinator_succession.cpp.
  void look_around(const Message<schema::Names>& names);
  /// A worker that the coordinator before this one had.
  void take_on(std::uint32_t worker, const Worker& ref);
  void start_anew();
  /// Begins above every term that the stores have seen, with `manifest_` if it is this run's.
  void begin_run();
  /// Takes up the job where `manifest` left it. Errors: invalid_argument (it is another job's).
  Status resume_from(schema::CheckpointManifest::Reader manifest);
  /// Decides what of the newest checkpoint is this run's. Errors: as `resume_from`.
  Status start_from_newest();
  /// Whether the newest checkpoint was written by this very run.
  bool has_own_checkpoint() const;
  void forget_checkpoint();
  /// Takes the newest checkpoint's manifest, whatever run it is of.
  void read_newest(std::function<void(Status)> done);
  /// @param attempts  At one that gets no answer.
  /// @param takes_over  From whoever came before, of whom nothing is committed after it.
  void load_newest(bool takes_over,
                   std::function<void(Result<Message<schema::CheckpointManifest>>)> done,
                   int attempts, Duration deadline = std::chrono::seconds(120));
  Result<Message<schema::CheckpointManifest>> newest_of(schema::NewestLoaded::Reader loaded);
  Status check_resumable(schema::CheckpointManifest::Reader manifest) const;
  /// Goes on once `manifest_` is what a rollback would go back to.
  void adopt_shards(const std::vector<Message<schema::Inventory>>& inventories);

  // The checkpoint that the run was told to go on from: coordinator_choice.cpp.
  /// Whether that is another one than the newest of the job's own directory.
  bool chooses() const;
  /// Takes its manifest, in place of the newest: the very one that the run was resumed from, if it
  /// was. Without it on an error, which is that of the checkpointer.
  void read_chosen(std::function<void(Status)> done);
  void ask_chosen(const Message<schema::LoadChosen>& request, Duration deadline,
                  std::function<void(Result<Message<schema::ChosenLoaded>>)> done);
  /// @param directory  Where it lies; empty: in the job's own.
  void take_chosen(schema::ChosenLoaded::Reader loaded, const std::string& directory);
  /// Whether a failure to read checkpoints may be over in a moment; false after several.
  bool may_be_read_later(Errc code);
  void take_over(std::vector<ParameterShard> shards);
  /// @param newest  Whether that was read.
  void go_on_with(const std::vector<Message<schema::Inventory>>& inventories, const Status& newest);
  /// Whether `manifest_` is what the run went on from, or of the run itself.
  bool is_resumed() const;
  void ask_inventory(ParameterShard shard, std::uint64_t term, int attempts,
                     std::function<void(const Message<schema::Inventory>*)> done);
  /// Asks every shard; `done` gets the answers there were.
  void ask_inventories(std::uint64_t term,
                       std::function<void(std::vector<Message<schema::Inventory>>)> done);
  void rebuild_when_described();
  void rebuild(const std::vector<Message<schema::Inventory>>& inventories);

  // Boundaries: coordinator_boundary.cpp.
  void frontier_moved();
  void plan_boundary();
  void at_boundary();
  void boundary_done();
  void evaluated(const Message<schema::Evaluated>& request, Reply<schema::EvaluationTaken> reply);
  void evaluation_done();
  void finish();
  struct FinalParameters;
  void hash_on(const std::shared_ptr<FinalParameters>& last);
  void stop_job(const Message<schema::StopJob>& request, Reply<schema::JobStopping> reply);

  // Checkpoints: coordinator_saving.cpp.
  void schedule_timed_checkpoint();
  bool computes_interval() const;
  /// Writes a checkpoint at the next boundary, which is as soon as can be.
  void save_soon();
  void save_last();
  void fail_unsaved();
  /// One at a time: if another is being written, this one is late.
  void start_checkpoint();
  void come_late();
  /// Training goes on: tells what it has cost.
  void checkpoint_copied();
  void save_shard(std::size_t shard, std::uint64_t attempt);
  void ask_to_save(std::size_t shard, Checkpointer store);
  void part_saved(const Message<schema::PartSaved>& request, Reply<schema::PartSavedTaken> reply);
  /// Commits once every part is saved and, where this iteration is evaluated, that is done.
  void commit_when_whole();
  void commit_checkpoint();
  void send_manifest(const Message<schema::CheckpointManifest>& manifest, int attempts);
  /// What an earlier attempt committed without its answer's arriving is this checkpoint.
  void take_committed(std::uint64_t attempt);
  void checkpoint_committed();
  /// Whatever became of it, it is not in the way of the next any more.
  void checkpoint_over();
  void prune_other_stores(const Message<schema::CheckpointCommitted>& committed);
  void drop_checkpoint(const std::string& why);

  // Copies at the second place: coordinator_copies.cpp.
  std::string second_place() const { return job().getCheckpoint().getCopyTo().cStr(); }
  /// Copies the newest checkpoint that was not tried yet; while another one is being copied, after
  /// that.
  void copy_newest();
  void with_copier(std::function<void(Result<CheckpointCopier>)> done);
  void ask_to_copy(CheckpointCopier copier);
  void copy_over(const Result<Message<schema::CheckpointCopied>>& copied);
  /// The end waits for the copy of what it leaves, of which one try is made.
  bool copy_awaited();
  /// Takes the newest copy for the newest checkpoint, for the job's own directory has none that is
  /// whole. Without any on an error.
  void fall_back(const Error& why, std::function<void(Status)> done);

  // What a checkpoint says of the job: coordinator_manifest.cpp.
  Message<schema::CheckpointManifest> write_manifest() const;
  void write_parts(schema::CheckpointManifest::Builder root) const;
  /// Takes shares and filters out of `manifest_`.
  void restore_advice();
  bool resumes() const;
  std::uint64_t manifest_iteration() const;
  std::uint64_t manifest_run() const;

  // What outlives it of what it counts: coordinator_history.cpp.
  void write_history(schema::JobHistory::Builder root) const;
  /// Tells the shards of it soon.
  void history_changed();
  void tell_history();
  void take_up_newest(const std::vector<Message<schema::Inventory>>& inventories);
  /// @param since  How long ago it was told.
  void take_up_history(schema::JobHistory::Reader history, Duration since);

  // Reports: coordinator_progress.cpp.
  void get_progress(const Message<schema::GetProgress>& request, Reply<schema::Progress> reply);
  void write_workers(schema::Progress::Builder root) const;
  void write_checkpointing(schema::Progress::Builder root) const;
  void end_job(const Message<schema::EndJob>&, Reply<schema::JobEnded> reply);
  void event(std::string text);
  void fail(const Error& error);
  double run_seconds() const;
  std::uint64_t run_samples() const;

  // What the run did, entry by entry: coordinator_record.cpp.
  void get_record(const Message<schema::GetRecord>& request, Reply<schema::Record> reply);
  void note_start(std::uint64_t iteration, const std::string& reason);
  void note_seal(schema::Measurement::Reader measured, bool accepted);
  void note_shares();
  void note_evaluation();
  void note_joined(std::uint32_t worker);
  void note_gone(std::uint32_t worker, const std::string& why);
  void note_rollback(std::uint64_t from, std::uint64_t to, const std::string& why);
  void note_checkpoint();

  bool ended() const { return state_ > schema::JobState::TRAINING; }
  bool running() const { return state_ == schema::JobState::TRAINING; }
  schema::JobSpec::Reader job() const { return job_->getRoot<schema::JobSpec>().asReader(); }

  Message<schema::CoordinatorSpec> spec_;
  std::unique_ptr<capnp::MallocMessageBuilder> job_;  ///< The job, read at every turn.
  JobNames names_;
  schema::JobState state_ = schema::JobState::STARTING;
  Error failure_{Errc::internal, ""};
  std::uint64_t term_ = 0;
  std::uint64_t run_term_ = 0;     ///< First one of the run, handed on by checkpoints and shards.
  std::uint64_t latest_term_ = 0;  ///< Of anything in the stores when they were last read.
  std::uint64_t obeyed_term_ = 0;  ///< Latest that a worker was found to obey.
  std::unique_ptr<trainer::SyncMode> mode_;
  trainer::WorkRules work_rules_;

  std::vector<runtime::Candidate> members_;
  std::set<NodeId> excluded_;
  std::unordered_map<NodeId, std::size_t> lost_on_;
  /// Shards that died there, or could not be started, since one last was; each weighs as if it were
  /// there still.
  std::unordered_map<NodeId, std::size_t> shards_lost_on_;
  CrewAgreement crew_;
  std::optional<std::uint64_t> crew_timer_;
  std::optional<CrewTraits> description_;      ///< Once they agree.
  std::optional<trainer::Schedule> schedule_;  ///< Once described.
  std::uint64_t parameters_ = 0;
  std::vector<WorkerSlot> workers_;
  std::vector<ShardSlot> shards_;
  std::vector<StoreSlot> stores_;
  /// Who waits for a node's checkpointer to hold its store.
  std::map<NodeId, std::vector<std::function<void(Checkpointer)>>> opening_stores_;
  PerformanceMonitor monitor_;
  Balancer balancer_;
  std::uint64_t spawn_key_ = 0;
  bool hiring_ = false;
  bool short_of_nodes_ = false;  ///< Said, and not yet over.
  bool looked_around_ = false;
  bool lost_while_adopting_ = false;
  int starts_lost_ = 0;  ///< Deployments in a row that shards and stores did not outlive.
  std::uint64_t lost_deployment_ = 0;  ///< Newest of them.
  std::uint64_t reached_ = 0;          ///< Newest version of the shards that were found.
  bool adopting_ = false;  ///< Between finding shards of a dead coordinator and having them.
  std::map<std::size_t, std::string> promoted_;  ///< Shards with new actors, and why; none trains.
  int promotions_tried_ = 0;
  std::uint64_t standby_attempts_ = 0;
  std::uint32_t takeovers_ = 0;  ///< Of shards by standbys.
  std::optional<std::uint64_t> tick_, recruit_timer_, start_timer_, timed_checkpoint_,
      last_save_timer_, standby_timer_;
  std::uint64_t deployment_ = 0;                     ///< Answers to an earlier one are void.
  std::vector<Message<schema::Inventory>> adopted_;  ///< Until the first worker is described.

  RunClock clock_;
  JobHistory history_;
  std::uint64_t tellings_ = 0;  ///< Of the history.
  std::optional<std::uint64_t> history_timer_;
  std::string sha256_;
  std::int64_t last_checkpoint_ = -1;
  RecordRing record_{std::size_t{16} << 20};                 ///< Of the last 100,000 groups or so.
  std::deque<std::pair<std::int64_t, std::string>> events_;  ///< The newest.
  std::uint64_t events_forgotten_ = 0;                       ///< Older than those.
};

}  // namespace slime::actors

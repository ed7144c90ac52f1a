// A durable actor dies at every step, with its node or alone, and no call is lost or done twice.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/base/random.hpp"
#include "runtime/wire/address.hpp"
#include "tests/support/counter.hpp"
#include "tools/slime/simulation/supervised_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::AnyMessage;
using runtime::Delivery;
using runtime::Message;
using runtime::Verdict;
namespace data = boost::unit_test::data;

namespace durable_sim_test {

/// A supervised counter in a cluster of two workers.
struct Till {
  explicit Till(std::uint64_t seed, const runtime::LinkModel& link = {})
      : cluster(seed, link, {Counter::type()}) {
    cluster.add_node("head", {"head"});
    for (int i = 0; i < 2; ++i) add_worker();
    const auto spec = counter_spec("till");
    sim().ask(cluster.supervisor().address,
              Message<schema::Supervise>::make([&](schema::Supervise::Builder root) {
                root.setName("till");
                root.setRole("worker");
                auto spawn = root.initSpawn();
                spawn.setType("counter");
                spawn.setSpecType(runtime::type_id<schema::CounterSpec>());
                const auto bytes = spec.words().as_bytes();
                spawn.setSpec(
                    kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
                root.initRule().setMaxRestarts(1000);
              }).any(),
              600s, [](const AnyMessage&) {});
  }

  runtime::Simulation& sim() { return cluster.simulation(); }
  NodeId add_worker() {
    return workers.emplace_back(
        cluster.add_node("worker-" + std::to_string(workers.size()), {"worker"}));
  }
  void run(Duration duration) { sim().run_until(sim().now() + duration); }
  /// A counter that lives; after a partition there may be an older one.
  std::optional<ActorAddress> counter() {
    std::optional<ActorAddress> found;
    for (const NodeId node : workers)
      if (sim().alive(node))
        for (const auto& actor : sim().actors(node))
          if (actor.alive && actor.type == "counter") found = actor.address;
    return found;
  }

  tools::SupervisedCluster cluster;
  std::vector<NodeId> workers;
};

/// Adds one again and again, each time under an id of its own, until that is acknowledged; now and
/// then repeats a call that was.
class Customer {
 public:
  Customer(Till& till, std::string name, std::uint64_t calls, Random random)
      : till_(&till), name_(std::move(name)), calls_(calls), random_(random) {}

  bool done() const { return answers_.size() == calls_ && !waiting_; }
  /// The count that each call was answered with.
  const std::map<std::uint64_t, std::uint64_t>& answers() const { return answers_; }
  /// Answers that were not what the call was answered with before.
  int changed_answers() const { return changed_; }

  void proceed() {
    if (waiting_ || answers_.size() == calls_) return;
    const bool again = !answers_.empty() && random_.below(4) == 0;
    const std::uint64_t number = again ? 1 + random_.below(answers_.size()) : answers_.size() + 1;
    waiting_ = true;
    till_->sim().ask(
        till_->cluster.directory().address,
        Message<schema::Lookup>::make([](schema::Lookup::Builder root) {
          root.setName("till");
        }).any(),
        200ms, [this, number](const AnyMessage& answer) {
          const auto found = Message<schema::Found>::from(answer);
          if (!found) return void(waiting_ = false);
          call(found->read([](auto root) { return runtime::read_address(root.getAddress()); }),
               number);
        });
  }

 private:
  void call(const ActorAddress& counter, std::uint64_t number) {
    till_->sim().ask(counter, runtime::once(runtime::CallId{name_, number}, add(1)).any(), 300ms,
                     [this, number](const AnyMessage& answer) {
                       waiting_ = false;
                       const auto count = Count::from(answer);
                       if (!count) return;
                       const auto known = answers_.emplace(number, value_of(*count));
                       if (known.first->second != value_of(*count)) ++changed_;
                     });
  }

  Till* till_;
  std::string name_;
  std::uint64_t calls_;
  Random random_;
  bool waiting_ = false;
  std::map<std::uint64_t, std::uint64_t> answers_;
  int changed_ = 0;
};

/// Customers of a till, and what must hold of it.
struct Trade {
  explicit Trade(std::uint64_t seed, int customer_count, std::uint64_t calls,
                 const runtime::LinkModel& link = {})
      : till(seed, link) {
    for (int i = 0; i < customer_count; ++i)
      customers.emplace_back(till, "customer " + std::to_string(i), calls,
                             Random(seed, 100 + static_cast<std::uint64_t>(i)));
  }

  bool done() const { return std::ranges::all_of(customers, &Customer::done); }
  void proceed(Duration duration) {
    for (Customer& customer : customers) customer.proceed();
    till.run(duration);
  }
  void finish() {
    for (int i = 0; i < 20'000 && !done(); ++i) proceed(5ms);
    BOOST_REQUIRE(done());
  }
  /// Every call took effect once: it has a count of its own, and no count is missing.
  void check() {
    std::set<std::uint64_t> counts;
    std::size_t acknowledged = 0;
    for (const Customer& customer : customers) {
      BOOST_TEST(customer.changed_answers() == 0);
      acknowledged += customer.answers().size();
      for (const auto& [number, count] : customer.answers()) counts.insert(count);
    }
    BOOST_TEST(counts.size() == acknowledged);
    BOOST_TEST(*counts.rbegin() == acknowledged);
    BOOST_TEST(total() == acknowledged);
  }
  /// What the counter in the directory counts, once there is one.
  std::uint64_t total() {
    const auto look =
        Message<schema::Lookup>::make([](schema::Lookup::Builder root) { root.setName("till"); });
    for (int i = 0; i < 2000; ++i, till.run(50ms)) {
      const auto found = till.sim().call(till.cluster.directory(), look);
      if (!found) continue;
      const auto count = till.sim().call(CounterRef{found->read([](auto root) {
                                           return runtime::read_address(root.getAddress());
                                         })},
                                         get_count(), 1s);
      if (count) return value_of(*count);
    }
    BOOST_FAIL("there is no counter any more");
    return 0;
  }

  Till till;
  std::deque<Customer> customers;
};

enum class Harm { drop, kill_before, kill_after, kill_sender, kill_node };

[[maybe_unused]] std::ostream& boost_test_print_type(std::ostream& out, Harm harm) {
  return out << static_cast<int>(harm);
}

/// Whether the counter, or somebody on its behalf, has to do with it.
bool concerns_counter(const Delivery& delivery) {
  static const std::set<std::uint64_t> types{
      runtime::type_id<schema::FindStateStore>(), runtime::type_id<schema::StateStoreFound>(),
      runtime::type_id<schema::LoadState>(),      runtime::type_id<schema::LoadedState>(),
      runtime::type_id<schema::SaveState>(),      runtime::type_id<schema::StateSaved>(),
      runtime::type_id<schema::CallOnce>(),       runtime::type_id<schema::Count>(),
      runtime::type_id<schema::Spawn>()};
  return types.contains(delivery.message.type);
}

/// What the harm comes to here: only the counter and its node may die.
Verdict harmed(Till& till, const Delivery& delivery, Harm harm) {
  const auto counter = till.counter();
  const bool to_it = counter && delivery.to == *counter;
  const bool from_it = counter && delivery.from == *counter;
  switch (harm) {
    case Harm::drop:
      return Verdict::drop;
    case Harm::kill_before:
      return to_it ? Verdict::kill_receiver_before : Verdict::deliver;
    case Harm::kill_after:
      return to_it ? Verdict::kill_receiver_after : Verdict::deliver;
    case Harm::kill_sender:
      return from_it ? Verdict::kill_sender : Verdict::deliver;
    case Harm::kill_node:
      if (counter) till.sim().kill_node(counter->node);
      return counter && (to_it || from_it) ? Verdict::drop : Verdict::deliver;
  }
  return Verdict::deliver;
}

}  // namespace durable_sim_test

BOOST_AUTO_TEST_SUITE(durable_sim_test)

// Goal: whatever is lost, and whoever dies, before or after any message of a counter's life.
// Method: one run for each message that concerns it and each harm, with two customers.
BOOST_DATA_TEST_CASE(it_may_die_at_every_step,
                     data::make({Harm::drop, Harm::kill_before, Harm::kill_after, Harm::kill_sender,
                                 Harm::kill_node}) *
                         data::xrange(3),
                     harm, seed) {
  std::size_t steps = 0;
  for (std::size_t step = 0; step <= steps; ++step) {
    BOOST_TEST_CONTEXT("step " << step) {
      Trade trade(static_cast<std::uint64_t>(seed), 2, 5);
      std::size_t seen = 0;
      trade.till.sim().observe([&](const Delivery& delivery) {
        if (!concerns_counter(delivery) || seen++ != step) return Verdict::deliver;
        return harmed(trade.till, delivery, harm);
      });
      trade.finish();
      trade.check();
      // The first, hardly disturbed run tells how many there are.
      if (step == 0) steps = seen;
    }
  }
  BOOST_TEST(steps > 40u);
}

// Goal: the same when everything happens, again and again: messages are lost, the actor, its node
// and the head die, and a partition leaves an instance behind that lives on.
BOOST_DATA_TEST_CASE(it_survives_whatever_happens_often, data::xrange(300), seed) {
  const auto number = static_cast<std::uint64_t>(seed);
  Random random(number, 7);
  Trade trade(number, 3, 20, {.loss = random.below(2) == 0 ? 0.0 : 0.02, .detection = 1s});
  Till& till = trade.till;
  for (int round = 0; round < 8; ++round) {
    for (std::uint64_t steps = random.below(40); steps > 0; --steps) trade.proceed(3ms);
    const auto counter = till.counter();
    if (!counter) continue;
    switch (random.below(4)) {
      case 0:
        (void)till.sim().kill_actor(*counter, {Errc::internal, "by the test"});
        break;
      case 1:
        till.sim().kill_node(counter->node);
        till.add_worker();
        break;
      case 2:
        till.sim().partition(counter->node, till.cluster.head(), true);
        for (std::uint64_t steps = random.below(800); steps > 0; --steps) trade.proceed(3ms);
        till.sim().partition(counter->node, till.cluster.head(), false);
        till.add_worker();
        break;
      default:
        till.sim().kill_node(till.cluster.head());
        for (std::uint64_t steps = random.below(100); steps > 0; --steps) trade.proceed(3ms);
        till.cluster.restart_head();
        till.run(std::chrono::milliseconds(random.below(500)));
        till.cluster.rejoin();
    }
  }
  trade.finish();
  trade.check();
}

// Goal: of two that live under one name the later one goes on, and the older one can neither change
// anything nor tell anybody that it did.
BOOST_AUTO_TEST_CASE(an_older_instance_is_fenced_and_ends) {
  Till till(1);
  till.run(2s);
  const CounterRef old{till.counter().value()};
  BOOST_TEST(value_of(till.sim().call(old, add(5)).value()) == 5u);
  const NodeId elsewhere = old.address.node == till.workers[0] ? till.workers[1] : till.workers[0];
  const CounterRef next{till.sim().spawn(elsewhere, "counter", counter_spec("till").any()).value()};
  BOOST_TEST(value_of(till.sim().call(next, add(1)).value()) == 6u);
  BOOST_TEST(!till.sim().call(old, add(100)));
  BOOST_TEST(!till.sim().alive(old.address));
  for (const auto& actor : till.sim().actors(old.address.node))
    if (actor.address == old.address) BOOST_TEST((actor.end->code == Errc::stale));
  BOOST_TEST(value_of(till.sim().call(next, get_count()).value()) == 6u);
}

// Goal: an old program neither reads nor overwrites what a newer one keeps, and says so.
BOOST_AUTO_TEST_CASE(a_state_of_a_later_version_is_refused_and_stays) {
  Till till(1);
  till.run(2s);
  const CounterRef newest{till.counter().value()};
  BOOST_TEST(value_of(till.sim().call(newest, add(5)).value()) == 5u);
  const auto old = till.sim().spawn(till.workers[0], "counter", counter_spec("till", 2).any());
  till.run(2s);
  for (const auto& actor : till.sim().actors(till.workers[0])) {
    if (actor.address != old.value()) continue;
    BOOST_REQUIRE(actor.end.has_value());
    BOOST_TEST((actor.end->code == Errc::incompatible));
  }
  BOOST_TEST(value_of(till.sim().call(newest, add(1)).value()) == 6u);
}

BOOST_AUTO_TEST_SUITE_END()

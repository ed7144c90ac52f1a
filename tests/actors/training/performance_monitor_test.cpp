#include "actors/training/performance_monitor.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/actors/training/training_stage.hpp"

using namespace slime;
using namespace slime::tests;

namespace performance_monitor_test {

struct Monitoring : TrainingStage {
  Message<schema::MonitorSpec> spec(const Message<schema::Filters>& saved = {}) {
    return Message<schema::MonitorSpec>::make([&](schema::MonitorSpec::Builder root) {
      fill_small_job(root.initJob(), *this);
      runtime::write_address(root.initCoordinator(), coordinator_address);
      runtime::write_address(root.initBalancer(), last_listener);
      saved.read([&](schema::Filters::Reader read) { root.setFilters(read.getFilters()); });
    });
  }

  // A worker needed `seconds` for eight samples of an iteration.
  void measure(std::uint64_t iteration, double seconds, std::uint32_t worker = 0) {
    tell(monitor, Message<schema::Measurement>::make([&](schema::Measurement::Builder root) {
           root.setWorker(worker);
           root.setIteration(iteration);
           root.setSamples(8);
           root.setComputeSeconds(seconds);
           root.setFetchSeconds(0.5);
         }));
  }
  void measure_often(std::uint64_t from, std::uint64_t to, double seconds) {
    for (std::uint64_t iteration = from; iteration < to; ++iteration) measure(iteration, seconds);
  }

  std::size_t announced() const { return coordinator.loads_told.size(); }
  // What was announced last of the only worker.
  template <class Use>
  auto newest(Use use) const {
    BOOST_REQUIRE(announced() > 0);
    return coordinator.loads_told.back().read([&](schema::Loads::Reader read) {
      BOOST_REQUIRE(read.getWorkers().size() == 1u);
      return use(read.getWorkers()[0]);
    });
  }

  Listener& balancer = listen();
  ActorAddress monitor = spawn("performance_monitor", spec());
};

}  // namespace performance_monitor_test

BOOST_FIXTURE_TEST_SUITE(performance_monitor_test, Monitoring)

BOOST_AUTO_TEST_CASE(balancer_and_coordinator_are_told_once_an_iteration) {
  tell(monitor, enlist(0));
  tell(monitor, enlist(1));
  measure(1, 0.08, 0);
  measure(1, 0.08, 1);
  measure(2, 0.08, 1);
  measure(2, 0.08, 0);
  BOOST_TEST(announced() == 2u);
  BOOST_TEST(balancer.loads_told.size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_newest_usage_of_each_worker_is_told_on) {
  tell(monitor, enlist(0));
  measure(1, 0.08);
  BOOST_TEST(!newest([](auto load) { return load.hasUsage(); }));
  tell(monitor, Message<schema::Measurement>::make([](schema::Measurement::Builder root) {
         root.setIteration(2);
         root.setSamples(8);
         root.setComputeSeconds(0.08);
         root.initUsage().setMemoryBytes(77);
       }));
  // Most measurements have none.
  measure(3, 0.08);
  BOOST_TEST(newest([](auto load) { return load.getUsage().getMemoryBytes(); }) == 77u);
}

BOOST_AUTO_TEST_CASE(a_steady_speed_is_found) {
  tell(monitor, enlist(0));
  measure(1, 0.08);
  BOOST_TEST(!newest([](auto load) { return load.getMeasured(); }));
  measure_often(2, 20, 0.08);
  newest([](schema::WorkerLoad::Reader load) {
    BOOST_TEST(load.getMeasured());
    BOOST_TEST(std::abs(load.getSecondsPerSample() - 0.01) < 1e-6);
    BOOST_TEST(std::abs(load.getIterationSeconds() - 0.08) < 1e-6);
    BOOST_TEST(load.getFetchSeconds() == 0.5);
  });
}

BOOST_AUTO_TEST_CASE(a_change_of_speed_is_told_once) {
  tell(monitor, enlist(0));
  measure_often(1, 20, 0.08);
  measure_often(20, 40, 0.32);
  std::size_t changes = 0;
  for (const auto& loads : coordinator.loads_told)
    changes += loads.read([](auto read) { return read.getWorkers()[0].getChanged(); });
  BOOST_TEST(changes == 1u);
  BOOST_TEST(std::abs(newest([](auto load) { return load.getSecondsPerSample(); }) - 0.04) < 1e-3);
}

BOOST_AUTO_TEST_CASE(nonsense_and_strangers_are_ignored) {
  tell(monitor, enlist(0));
  measure(1, 0);
  measure(1, std::nan(""));
  measure(1, 0.08, 7);
  BOOST_TEST(announced() == 0u);
  tell(monitor, forget(0));
  measure(2, 0.08);
  BOOST_TEST(announced() == 0u);
}

BOOST_AUTO_TEST_CASE(what_was_learnt_survives_in_saved_filters) {
  tell(monitor, enlist(0));
  measure_often(1, 20, 0.08);
  const auto saved =
      simulation.call(actors::PerformanceMonitor{monitor}, Message<schema::SaveFilters>::make());
  BOOST_REQUIRE(bool(saved));
  end(monitor);
  monitor = spawn("performance_monitor", spec(*saved));
  tell(monitor, enlist(0));
  measure(20, 0.08);
  newest([](schema::WorkerLoad::Reader load) {
    BOOST_TEST(load.getMeasured());
    BOOST_TEST(load.getMeasurements() > 10u);
  });
}

BOOST_AUTO_TEST_CASE(damaged_filters_are_as_good_as_none) {
  end(monitor);
  monitor = spawn(
      "performance_monitor", spec(Message<schema::Filters>::make([](schema::Filters::Builder root) {
        const std::string damaged = "speed1 nonsense";
        root.initFilters(1)[0].setState(
            capnp::Data::Reader(reinterpret_cast<const kj::byte*>(damaged.data()), damaged.size()));
      })));
  tell(monitor, enlist(0));
  BOOST_TEST(simulation.alive(monitor));
  measure(1, 0.08);
  BOOST_TEST(!newest([](auto load) { return load.getMeasured(); }));
}

BOOST_AUTO_TEST_CASE(it_ends_with_its_coordinator) {
  BOOST_TEST(simulation.alive(monitor));
  end(coordinator_address);
  BOOST_TEST(!simulation.alive(monitor));
}

BOOST_AUTO_TEST_SUITE_END()

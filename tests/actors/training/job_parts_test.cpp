#include "actors/training/job_parts.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/wire/message.hpp"

using namespace slime;
using namespace slime::actors;

namespace job_parts_test {

template <class Fill>
runtime::Message<schema::JobSpec> job(Fill fill) {
  return runtime::Message<schema::JobSpec>::make([&](schema::JobSpec::Builder root) {
    root.initSync();
    root.initBalance();
    root.initModel();
    root.initOptimizer();
    root.initData();
    root.initEmulate();
    fill(root);
  });
}

// Refused, and says which name it does not know.
template <class T>
bool names(const Result<T>& made, Errc code, const std::string& name) {
  return !made && made.error().code == code && made.error().context.find(name) != std::string::npos;
}

}  // namespace job_parts_test

BOOST_AUTO_TEST_SUITE(job_parts_test)

BOOST_AUTO_TEST_CASE(the_defaults_of_a_job_are_things_there_are) {
  job([](auto) {}).read([](schema::JobSpec::Reader read) {
    BOOST_TEST(bool(optimizer_of(read)));
    BOOST_TEST(bool(schedule_of(read, 100)));
    BOOST_TEST(bool(policy_of(read)));
    const auto mode = mode_of(read);
    BOOST_REQUIRE(bool(mode));
    BOOST_TEST((*mode)->committed());
    BOOST_TEST(!reproducible(read));
  });
}

BOOST_AUTO_TEST_CASE(unknown_names_are_named) {
  job([](schema::JobSpec::Builder root) {
    root.getOptimizer().setKind("wishing");
    root.getSync().setMode("whenever");
    root.getBalance().setPolicy("by_luck");
  }).read([](schema::JobSpec::Reader read) {
    BOOST_TEST(names(optimizer_of(read), Errc::invalid_argument, "wishing"));
    BOOST_TEST(names(mode_of(read), Errc::not_found, "whenever"));
    BOOST_TEST(names(policy_of(read), Errc::not_found, "by_luck"));
  });
}

BOOST_AUTO_TEST_CASE(fixed_shares_and_the_bound_on_leads_are_carried_over) {
  job([](schema::JobSpec::Builder root) {
    root.setBatch(1 << 20);
    root.setBlock(1);
    root.getSync().setMode("asp");
    root.getBalance().setPolicy("fixed");
    root.getBalance().initFixedShares(2).set(1, 1);
  }).read([](schema::JobSpec::Reader read) {
    std::vector<trainer::WorkerLoad> loads(2);
    loads[1].worker = WorkerId{1};
    BOOST_TEST((policy_of(read).value()->split({8, 1, 0}, loads).value() ==
                std::vector<std::uint32_t>{0, 8}));
    // As many iterations as are some four million blocks.
    const trainer::IterationTiming timing;
    BOOST_TEST(mode_of(read).value()->slack(0, {&timing, 1}) == 4u);
  });
}

BOOST_AUTO_TEST_CASE(every_schedule_of_a_job_file_is_one_of_the_trainers) {
  // Two epochs of 100 samples; each schedule's rate after one and a half.
  const auto rate = [](schema::Schedule schedule) {
    return job([schedule](schema::JobSpec::Builder root) {
             root.setEpochs(2);
             root.getOptimizer().setLearningRate(0.4);
             root.getOptimizer().setSchedule(schedule);
             root.getOptimizer().setStepFactor(0.5);
           })
        .read([](schema::JobSpec::Reader read) {
          return schedule_of(read, 100).value().learning_rate(150);
        });
  };
  BOOST_TEST(rate(schema::Schedule::CONSTANT) == 0.4, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(rate(schema::Schedule::STEP) == 0.2, boost::test_tools::tolerance(1e-9));
  // 0.4 (1 + cos(3/4 pi)) / 2.
  BOOST_TEST(rate(schema::Schedule::COSINE) == 0.0585786, boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(work_data_and_model_are_carried_over) {
  job([](schema::JobSpec::Builder root) {
    root.setBatch(24);
    root.setBlock(4);
    root.setEpochs(2);
    root.setSeed(9);
    root.setDevice(schema::Device::CPU);
    root.setReduction(schema::Reduction::REPRODUCIBLE);
    root.getData().initTrain(1).set(0, "a");
    root.getData().initTest(1).set(0, "b");
    root.getModel().initLayers(2).set(1, "dense 3");
  }).read([](schema::JobSpec::Reader read) {
    BOOST_TEST(work_plan(read, 103).iterations() == 10u);
    BOOST_TEST(work_plan(read, 103).blocks_in_full() == 6u);
    BOOST_TEST(reproducible(read));
    const auto settings = gradient_settings(read);
    BOOST_TEST(settings.format == "idx");
    BOOST_TEST(settings.train_files == std::vector<std::string>{"a"});
    BOOST_TEST(settings.test_files == std::vector<std::string>{"b"});
    BOOST_TEST(settings.layers == (std::vector<std::string>{"", "dense 3"}));
    BOOST_TEST(settings.device == "cpu");
    BOOST_TEST(settings.batch == 24u);
    BOOST_TEST(settings.block == 4u);
    BOOST_TEST(settings.seed == 9u);
  });
}

BOOST_AUTO_TEST_CASE(declared_machines_are_carried_over) {
  job([](schema::JobSpec::Builder root) {
    root.setSeed(9);
    auto emulate = root.getEmulate();
    emulate.setSampleUs(1000);
    emulate.setNoise(0.5);
    emulate.initSpeeds(2).set(1, 0.25);
    auto stall = emulate.initStalls(1)[0];
    stall.setWorker(1), stall.setAtSeconds(2), stall.setForSeconds(3);
    auto change = emulate.initChanges(1)[0];
    change.setWorker(1), change.setAtSeconds(4), change.setSpeed(0.5);
  }).read([](schema::JobSpec::Reader read) {
    const auto emulation = emulation_of(read);
    BOOST_TEST(emulation.sample_us == 1000);
    BOOST_TEST(emulation.noise == 0.5);
    BOOST_TEST(emulation.seed == 9u);
    BOOST_TEST(emulation.speeds == (std::vector<double>{0, 0.25}));
    BOOST_REQUIRE(emulation.stalls.size() == 1u);
    BOOST_TEST((emulation.stalls[0].worker == WorkerId{1}));
    BOOST_TEST(emulation.stalls[0].at_s == 2);
    BOOST_TEST(emulation.stalls[0].for_s == 3);
    BOOST_REQUIRE(emulation.changes.size() == 1u);
    BOOST_TEST(emulation.changes[0].at_s == 4);
    BOOST_TEST(emulation.changes[0].speed == 0.5);
  });
}

BOOST_AUTO_TEST_SUITE_END()

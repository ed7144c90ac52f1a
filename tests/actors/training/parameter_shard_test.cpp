#include "actors/training/parameter_shard.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <utility>

#include "tests/actors/training/training_stage.hpp"
#include "trainer/model/model.hpp"

using namespace slime;
using namespace slime::tests;

namespace parameter_shard_test {

constexpr std::uint64_t count = small_job_parameters;
using Floats = std::vector<float>;

Floats floats_of(capnp::Data::Reader data) {
  const auto view = runtime::as_floats(data);
  return {view.begin(), view.end()};
}

// A shard with all parameters of the small job, in term 3.
struct Sharding : TrainingStage {
  Message<schema::ShardSpec> spec(std::uint64_t parameters = count, ActorAddress store = {},
                                  const schema::CheckpointManifest::Reader* restore = nullptr) {
    return Message<schema::ShardSpec>::make([&](schema::ShardSpec::Builder root) {
      fill_small_job(root.initJob(), *this);
      root.getJob().getOptimizer().setMomentum(0.5);
      root.setTerm(3);
      root.setInputs(4);
      root.setSamples(103);
      root.setCount(parameters);
      runtime::write_address(root.initCheckpointer(), store);
      if (!restore) return;
      root.setRestore(*restore);
      root.setVersion(restore->getVersion());
    });
  }
  actors::ParameterShard shard_from(const Message<schema::ShardSpec>& spec) {
    return {spawn("parameter_shard", spec)};
  }

  auto pull_request(std::uint64_t min_version, std::uint64_t term) {
    return Message<schema::Pull>::make([=](schema::Pull::Builder root) {
      root.setTerm(term);
      root.setMinVersion(min_version);
    });
  }
  auto pull(std::uint64_t term = 3) { return simulation.call(shard, pull_request(0, term)); }
  Floats values() {
    return pull().value().read([](auto read) { return floats_of(read.getValues()); });
  }

  auto push(std::uint64_t group, const std::vector<std::uint32_t>& blocks, float gradient,
            std::uint64_t term = 3) {
    const Floats sums(count, gradient);
    return simulation.call(
        shard, Message<schema::Push>::make([&](schema::Push::Builder root) {
          root.setTerm(term);
          root.setGroup(group);
          root.setBlocks(kj::arrayPtr(blocks.data(), blocks.size()));
          root.setSamples(static_cast<std::uint32_t>(4 * blocks.size()));
          root.setLearningRate(0.1);
          root.setValues({reinterpret_cast<const kj::byte*>(sums.data()), 4 * sums.size()});
        }));
  }
  auto commit(const std::vector<std::uint64_t>& groups, std::uint64_t term = 3) {
    return simulation.call(shard, Message<schema::Commit>::make([&](schema::Commit::Builder root) {
                             root.setTerm(term);
                             root.setGroups(kj::arrayPtr(groups.data(), groups.size()));
                           }));
  }
  auto adopt(std::uint64_t term) {
    return simulation.call(shard,
                           Message<schema::Adopt>::make([term](auto root) { root.setTerm(term); }));
  }
  // Asks in the coordinator's name, because that is who is told of the part.
  Result<Message<schema::Copied>> save(std::uint64_t version, std::uint64_t term = 3,
                                       std::uint64_t attempt = 1) {
    std::optional<Result<Message<schema::Copied>>> answer;
    coordinator.ask(
        shard, Message<schema::Save>::make([=, this](schema::Save::Builder root) {
          root.setTerm(term);
          root.setCheckpoint(version);
          root.setVersion(version);
          root.setAttempt(attempt);
          runtime::write_address(root.initCheckpointer(), saves_to);
        }),
        5s, [&answer](Result<Message<schema::Copied>> copied) { answer = std::move(copied); });
    run();
    BOOST_REQUIRE(answer.has_value());
    return *answer;
  }

  ActorAddress spawn_checkpointer() {
    return spawn("checkpointer", Message<schema::CheckpointerSpec>::make([&](auto root) {
                   root.setDirectory((path() / "checkpoints").string());
                   root.setNode("node");
                 }));
  }

  actors::ParameterShard shard = shard_from(spec());
  ActorAddress saves_to;  ///< The checkpointer that `save` names.
};

template <class T>
bool failed(const Result<T>& answer, Errc code) {
  return !answer && answer.error().code == code;
}

bool duplicate(const Result<Message<schema::Pushed>>& pushed) {
  return pushed.value().read([](auto read) { return read.getDuplicate(); });
}

}  // namespace parameter_shard_test

BOOST_FIXTURE_TEST_SUITE(parameter_shard_test, Sharding)

BOOST_AUTO_TEST_CASE(it_starts_with_the_parameters_of_the_seed) {
  BOOST_TEST(bool(simulation.call(shard, Message<schema::Prepare>::make())));
  const std::vector<std::string> layers{"dense 3"};
  Floats expected(count);
  trainer::Model::build(layers, 4).value().initialise(1, 0, expected);
  BOOST_TEST(values() == expected);
}

BOOST_AUTO_TEST_CASE(a_commit_steps_once_however_often_it_comes) {
  const Floats before = values();
  BOOST_TEST(!duplicate(push(1, {0, 1, 2}, 12)));
  BOOST_TEST(duplicate(push(1, {0, 1, 2}, 12)));
  BOOST_TEST(!duplicate(push(2, {3, 4, 5}, 12)));
  BOOST_TEST(values() == before);
  for (int time = 0; time < 2; ++time)
    BOOST_TEST(commit({1, 2}).value().read([](auto read) { return read.getVersion(); }) == 1u);
  // A mean gradient of 24 / 24 at rate 0.1.
  for (std::size_t i = 0; i < count; ++i)
    BOOST_TEST(values()[i] == before[i] - 0.1F, boost::test_tools::tolerance(1e-5F));
}

// Goal: a commit that is asked again, which is cheap to ask, is cheap to answer: what pulls get is
// not made anew.
BOOST_AUTO_TEST_CASE(a_repeated_commit_makes_no_new_copy_of_the_parameters) {
  BOOST_TEST(bool(push(1, {0, 1, 2, 3, 4, 5}, 24)));
  BOOST_TEST(bool(commit({1})));
  const auto first = pull().value();
  BOOST_TEST(bool(commit({1})));
  BOOST_TEST(pull().value().words().data() == first.words().data());
}

BOOST_AUTO_TEST_CASE(a_pull_of_a_version_to_come_waits_for_it) {
  std::optional<Result<Message<schema::Parameters>>> answer;
  coordinator.ask(shard, pull_request(1, 3), 60s,
                  [&answer](Result<Message<schema::Parameters>> range) { answer = range; });
  run();
  BOOST_TEST(!answer.has_value());
  BOOST_TEST(bool(push(1, {0, 1, 2, 3, 4, 5}, 24)));
  BOOST_TEST(bool(commit({1})));
  run();
  BOOST_REQUIRE(answer.has_value());
  BOOST_TEST(answer->value().read([](auto read) { return read.getVersion(); }) == 1u);
}

BOOST_AUTO_TEST_CASE(every_term_but_the_one_in_force_is_stale) {
  for (const std::uint64_t term : {2, 4}) {
    BOOST_TEST(failed(pull(term), Errc::stale));
    BOOST_TEST(failed(push(1, {0}, 1, term), Errc::stale));
    BOOST_TEST(failed(commit({1}, term), Errc::stale));
    BOOST_TEST(failed(save(0, term), Errc::stale));
  }
}

BOOST_AUTO_TEST_CASE(a_diverged_gradient_is_refused_and_changes_nothing) {
  const Floats before = values();
  const auto refused = push(1, {0}, std::numeric_limits<float>::infinity());
  BOOST_TEST(failed(refused, Errc::diverged));
  BOOST_TEST(failed(commit({1}), Errc::invalid_argument));
  BOOST_TEST(values() == before);
}

BOOST_AUTO_TEST_CASE(the_newest_history_of_its_term_is_told_to_who_adopts_it) {
  const auto history = [](std::uint64_t term, std::uint64_t number) {
    return Message<schema::JobHistory>::make([=](schema::JobHistory::Builder root) {
      root.setTerm(term);
      root.setNumber(number);
    });
  };
  BOOST_TEST(!adopt(0).value().read([](auto read) { return read.hasHistory(); }));
  for (const auto& told : {history(3, 2), history(3, 1), history(2, 9), history(4, 9)})
    simulation.tell(shard.address, told.any());
  run(2s);
  adopt(5).value().read([](schema::Inventory::Reader read) {
    BOOST_TEST(read.getHistory().getTerm() == 3u);
    BOOST_TEST(read.getHistory().getNumber() == 2u);
    const Duration age(read.getHistoryNs());
    BOOST_TEST((age > 1900ms && age < 2100ms));
  });
  tell(shard.address, history(5, 1));
  BOOST_TEST(adopt(0).value().read([](auto read) { return read.getHistory().getTerm(); }) == 5u);
}

BOOST_AUTO_TEST_CASE(who_adopts_it_learns_what_it_has_and_is_obeyed) {
  BOOST_TEST(bool(push(7, {1, 4}, 1)));
  adopt(5).value().read([](schema::Inventory::Reader read) {
    BOOST_TEST(read.getTerm() == 5u);
    BOOST_TEST(read.getVersion() == 0u);
    BOOST_TEST(read.getCount() == count);
    BOOST_REQUIRE(read.getGroups().size() == 1u);
    BOOST_TEST(read.getGroups()[0].getGroup() == 7u);
    BOOST_TEST(read.getGroups()[0].getBlocks().size() == 2u);
  });
  BOOST_TEST(failed(pull(3), Errc::stale));
  BOOST_TEST(bool(pull(5)));
  BOOST_TEST(failed(adopt(4), Errc::stale));
  // Term 0 only asks.
  BOOST_TEST(adopt(0).value().read([](auto read) { return read.getTerm(); }) == 5u);
}

BOOST_AUTO_TEST_CASE(pulls_of_an_older_term_do_not_wait_for_ever) {
  std::optional<Result<Message<schema::Parameters>>> answer;
  coordinator.ask(shard, pull_request(1, 3), 3600s,
                  [&answer](Result<Message<schema::Parameters>> range) { answer = range; });
  run();
  BOOST_TEST(bool(adopt(5)));
  run();
  BOOST_REQUIRE(answer.has_value());
  BOOST_TEST(!*answer);
}

BOOST_AUTO_TEST_CASE(a_saved_shard_comes_back_with_values_and_momentum) {
  saves_to = spawn_checkpointer();
  shard = shard_from(spec(count, saves_to));
  BOOST_TEST(bool(push(1, {0, 1, 2, 3, 4, 5}, 24)));
  BOOST_TEST(bool(commit({1})));
  BOOST_TEST(failed(save(2), Errc::unavailable));
  BOOST_TEST(bool(save(1)));
  BOOST_REQUIRE(coordinator.parts.size() == 1u);
  const auto manifest = Message<schema::CheckpointManifest>::make([&](auto root) {
    root.setIteration(1);
    root.setVersion(1);
    root.setTerm(3);
    auto tensor = root.initTensors(1)[0];
    tensor.setName("all");
    tensor.initShape(1).set(0, count);
    coordinator.parts[0].read([&](schema::PartSaved::Reader saved) {
      BOOST_TEST(saved.getFailure().getCode() == 0u);
      root.initParts(1).setWithCaveats(0, saved.getPart());
    });
  });
  const Floats saved = values();
  const auto restored = manifest.read(
      [&](schema::CheckpointManifest::Reader read) { return spec(count, saves_to, &read); });
  shard = shard_from(restored);
  BOOST_TEST(values() == saved);
  // With no gradient, half of the step of 0.1 before is what momentum alone still does.
  const Floats none(count);
  const std::vector<std::uint32_t> blocks{0, 1, 2, 3, 4, 5};
  const auto still = Message<schema::Push>::make([&](schema::Push::Builder root) {
    root.setTerm(3);
    root.setGroup(2);
    root.setIteration(1);
    root.setVersion(1);
    root.setBlocks(kj::arrayPtr(blocks.data(), blocks.size()));
    root.setSamples(24);
    root.setLearningRate(0.1);
    root.setValues({reinterpret_cast<const kj::byte*>(none.data()), 4 * none.size()});
  });
  BOOST_TEST(bool(simulation.call(shard, still)));
  const auto second = Message<schema::Commit>::make([](schema::Commit::Builder root) {
    root.setTerm(3);
    root.setIteration(1);
    root.initGroups(1).set(0, 2);
  });
  BOOST_TEST(bool(simulation.call(shard, second)));
  for (std::size_t i = 0; i < count; ++i)
    BOOST_TEST(values()[i] == saved[i] - 0.05F, boost::test_tools::tolerance(1e-4F));
}

BOOST_AUTO_TEST_CASE(a_part_that_cannot_be_written_is_reported_as_a_failure) {
  saves_to = {node, 1, 999};
  BOOST_TEST(bool(save(0)));
  BOOST_REQUIRE(coordinator.parts.size() == 1u);
  coordinator.parts[0].read(
      [](schema::PartSaved::Reader read) { BOOST_TEST(read.getFailure().getCode() != 0u); });
}

// Goal: the part of an attempt that is over is neither waited for nor told. Method: the first copy
// is lost on its way, which shows when the time for writing it is up.
BOOST_AUTO_TEST_CASE(each_attempt_to_save_has_a_part_of_its_own) {
  saves_to = spawn_checkpointer();
  simulation.observe([lost = false](const runtime::Delivery& delivery) mutable {
    const bool copy = delivery.message.type == runtime::type_id<schema::WritePart>();
    return copy && !std::exchange(lost, true) ? runtime::Verdict::drop : runtime::Verdict::deliver;
  });
  BOOST_TEST(bool(save(0, 3, 1)));
  BOOST_TEST(coordinator.parts.empty());
  BOOST_TEST(bool(save(0, 3, 2)));
  BOOST_TEST(bool(save(0, 3, 2)));
  BOOST_TEST(failed(save(0, 3, 1), Errc::stale));
  run(600s);
  BOOST_REQUIRE(coordinator.parts.size() == 1u);
  coordinator.parts[0].read([](schema::PartSaved::Reader read) {
    BOOST_TEST(read.getFailure().getCode() == 0u);
    BOOST_TEST(read.getAttempt() == 2u);
  });
}

// Goal: a shard says which blocks are as in the part that it knows to be in that very store, and
// nothing of any other. Method: look at the copies that it sends, of one block.
BOOST_AUTO_TEST_CASE(a_copy_says_what_is_as_in_the_part_before) {
  std::vector<std::string> bases;
  std::vector<std::optional<bool>> unchanged;
  bool lost = false;
  simulation.observe([&](const runtime::Delivery& delivery) {
    if (delivery.message.type != runtime::type_id<schema::WritePart>())
      return runtime::Verdict::deliver;
    Message<schema::WritePart>::adopt(delivery.message.words)
        .read([&](schema::WritePart::Reader read) {
          bases.emplace_back(read.getBaseKey().cStr());
          unchanged.emplace_back();
          if (read.getUnchanged().size() > 0) unchanged.back() = read.getUnchanged()[0];
        });
    return lost ? runtime::Verdict::drop : runtime::Verdict::deliver;
  });
  const auto key_of = [this](std::size_t part) {
    return coordinator.parts.at(part).read(
        [](auto read) { return std::string(read.getPart().getKey().cStr()); });
  };
  saves_to = spawn_checkpointer();
  BOOST_TEST(bool(save(0, 3, 1)));  // Knows of none.
  BOOST_TEST(bool(save(0, 3, 2)));
  BOOST_TEST(bool(push(1, {0, 1, 2, 3, 4, 5}, 24)));
  BOOST_TEST(bool(commit({1})));
  lost = true;
  BOOST_TEST(bool(save(1, 3, 3)));
  lost = false;
  BOOST_TEST(bool(adopt(4)));
  BOOST_TEST(bool(save(1, 4, 1)));  // The one before did not arrive.
  BOOST_TEST(bool(save(1, 4, 2)));
  BOOST_REQUIRE(coordinator.parts.size() == 4u);
  const std::vector<std::string> parts{"", key_of(0), key_of(1), key_of(1), key_of(2)};
  BOOST_TEST(bases == parts, boost::test_tools::per_element());
  const std::vector<std::optional<bool>> expected{std::nullopt, true, false, false, true};
  BOOST_TEST((unchanged == expected));
  end(saves_to);
  saves_to = spawn_checkpointer();
  BOOST_TEST(bool(save(1, 4, 3)));
  BOOST_TEST(bases.back() == "");
  BOOST_TEST(coordinator.parts.size() == 5u);
}

BOOST_AUTO_TEST_CASE(a_new_coordinator_counts_its_attempts_anew) {
  saves_to = spawn_checkpointer();
  BOOST_TEST(bool(save(0, 3, 2)));
  BOOST_TEST(bool(adopt(4)));
  BOOST_TEST(bool(save(0, 4, 1)));
  BOOST_TEST(coordinator.parts.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_shard_without_parameters_has_nothing_to_write) {
  shard = shard_from(spec(0));
  BOOST_TEST(bool(save(0)));
  BOOST_REQUIRE(coordinator.parts.size() == 1u);
  coordinator.parts[0].read([](schema::PartSaved::Reader read) {
    BOOST_TEST(read.getFailure().getCode() == 0u);
    BOOST_TEST(read.getPart().getCount() == 0u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

#include "actors/system/checkpointer.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "runtime/simulation/simulation.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::actors;
using runtime::Message;

namespace checkpointer_test {

constexpr std::uint64_t parameters = 40'000;  // Three blocks, the last one short.

// The checkpointers of a head and a second node, in one thread.
struct TwoStores : tests::TempDir {
  TwoStores() : head(checkpointer("head")), other(checkpointer("other")) {}

  Checkpointer checkpointer(const std::string& node) { return checkpointer(node, path()); }
  Checkpointer checkpointer(const std::string& node, const std::filesystem::path& directory) {
    const auto spec = Message<schema::CheckpointerSpec>::make([&](auto root) {
      root.setDirectory(directory.string());
      root.setNode(node);
    });
    const auto type = runtime::actor_type<CheckpointerActor, schema::CheckpointerSpec>("store");
    return {simulation.spawn(simulation.add_node(node), type, spec.any()).value()};
  }

  auto write(Checkpointer to, std::uint64_t first, std::uint64_t count, float value,
             std::uint64_t iteration = 7) {
    const std::vector<float> values(count, value);
    const capnp::Data::Reader bytes(reinterpret_cast<const kj::byte*>(values.data()), count * 4);
    return simulation
        .call(to, Message<schema::WritePart>::make([&](auto root) {
                root.setCheckpoint(iteration);
                root.setVersion(iteration);
                root.setTerm(1);
                root.setFirst(first);
                root.setValues(bytes);
                root.initSlots(1).set(0, bytes);
              }))
        .value();
  }
  /// What comes of a part that may be refused.
  auto write_result(Checkpointer to, std::uint64_t iteration) {
    const std::vector<float> values(16'384);
    return simulation.call(to, Message<schema::WritePart>::make([&](auto root) {
                             root.setCheckpoint(iteration);
                             root.setTerm(1);
                             root.setValues({reinterpret_cast<const kj::byte*>(values.data()),
                                             values.size() * sizeof(float)});
                           }));
  }

  /// Why the head finds no checkpoint; code 0 when it finds one.
  std::pair<Errc, std::uint64_t> newest_failure_and_term() {
    const auto newest = simulation.call(head, Message<schema::LoadNewest>::make()).value();
    return newest.read([](schema::NewestLoaded::Reader read) {
      return std::pair(static_cast<Errc>(read.getFailure().getCode()), read.getLatestTerm());
    });
  }

  Message<schema::CommitCheckpoint> commitment(std::uint64_t iteration = 7) {
    const auto low = write(head, 0, 16'384, 1, iteration);
    const auto high = write(other, 16'384, parameters - 16'384, 2, iteration);
    return Message<schema::CommitCheckpoint>::make([&](schema::CommitCheckpoint::Builder root) {
      root.setKeep(2);
      auto manifest = root.initManifest();
      manifest.setIteration(iteration);
      manifest.setVersion(iteration);
      manifest.setTerm(1);
      auto tensor = manifest.initTensors(1)[0];
      tensor.setName("weight");
      tensor.initShape(1).set(0, parameters);
      auto parts = manifest.initParts(2);
      low.read([&](auto part) { parts.setWithCaveats(0, part.getPart()); });
      high.read([&](auto part) { parts.setWithCaveats(1, part.getPart()); });
    });
  }

  std::set<std::filesystem::path> tables(const std::string& node) const {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path() / node))
      if (entry.path().extension() == ".sst") files.insert(entry.path());
    return files;
  }
  /// Ends `store`, cuts these files of its node short, starts another one and returns what that
  /// says of the repair.
  std::string repaired(Checkpointer& store, const std::string& node,
                       const std::set<std::filesystem::path>& cut) {
    BOOST_TEST(bool(simulation.kill_actor(store.address, {Errc::unavailable, "the test ends it"})));
    for (const auto& file : cut)
      std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    store = checkpointer(node);
    return simulation.call(store, Message<schema::OpenStore>::make())
        ->read([](schema::StoreOpened::Reader read) {
          return std::string(read.getRepaired().cStr());
        });
  }

  runtime::Simulation simulation{1};
  Checkpointer head, other;
};

}  // namespace checkpointer_test

BOOST_FIXTURE_TEST_SUITE(checkpointer_test, TwoStores)

BOOST_AUTO_TEST_CASE(without_a_commit_there_is_no_checkpoint) {
  BOOST_TEST((newest_failure_and_term() == std::pair(Errc::not_found, std::uint64_t{0})));
  write(other, 0, 16'384, 1);
  // Its term is taken all the same.
  BOOST_TEST((newest_failure_and_term() == std::pair(Errc::not_found, std::uint64_t{1})));
}

BOOST_AUTO_TEST_CASE(a_committed_checkpoint_is_read_back_by_another_cut) {
  const auto request = commitment();
  BOOST_TEST(bool(simulation.call(head, request)));
  // Its answer may be lost, so it may come again.
  BOOST_TEST(bool(simulation.call(head, request)));
  const auto newest = simulation.call(head, Message<schema::LoadNewest>::make()).value();
  const auto range = simulation.call(other, Message<schema::ReadRange>::make([&](auto root) {
                                       newest.read([&](schema::NewestLoaded::Reader read) {
                                         root.setManifest(read.getManifest());
                                       });
                                       root.setFirst(0);
                                       root.setCount(parameters);
                                     }));
  BOOST_REQUIRE(bool(range));
  range->read([](schema::RangeRead::Reader read) {
    const auto values = runtime::as_floats(read.getValues());
    BOOST_TEST(values.size() == parameters);
    BOOST_TEST(values[16'383] == 1);
    BOOST_TEST(values[16'384] == 2);
    BOOST_TEST(read.getSlots().size() == 1u);
  });
}

BOOST_AUTO_TEST_CASE(another_checkpoint_of_the_same_name_is_not_taken_for_committed) {
  BOOST_TEST(bool(simulation.call(head, commitment())));
  // The same parameters, written again, are other parts.
  const auto again = simulation.call(head, commitment());
  BOOST_REQUIRE(!again);
  BOOST_TEST((again.error().code == Errc::already_exists));
}

// Goal: what is committed is committed, though old ones cannot be removed.
// Method: a damaged record, which says what cannot be known to be unused.
BOOST_AUTO_TEST_CASE(a_commit_that_cannot_prune_says_so_and_stands) {
  BOOST_TEST(bool(simulation.call(head, commitment(6))));
  BOOST_TEST(bool(simulation.call(head, commitment(7))));
  BOOST_TEST(bool(simulation.kill_actor(head.address, {Errc::unavailable, "the test ends it"})));
  {
    const auto store = storage::Database::open(path() / "head", storage::OpenMode::read_write);
    storage::Batch batch;
    batch.put(storage::Table::catalog, (*store)->catalog(storage::part_prefix).back(), "nonsense");
    BOOST_REQUIRE(bool((*store)->write(batch)));
  }
  head = checkpointer("head");
  const auto pruning = [this](std::uint64_t iteration) {
    const auto committed = simulation.call(head, commitment(iteration)).value();
    return committed.read([](schema::CheckpointCommitted::Reader read) {
      BOOST_TEST((read.getKept().size() > 0) == (read.getPruning().getCode() == 0));
      return static_cast<Errc>(read.getPruning().getCode());
    });
  };
  BOOST_TEST((pruning(8) == Errc::corruption));
  BOOST_TEST((newest_failure_and_term().first == Errc{}));
  // With the damaged one gone it works again.
  BOOST_TEST((pruning(9) == Errc{}));
}

BOOST_AUTO_TEST_CASE(a_store_is_held_from_when_it_is_opened) {
  BOOST_TEST(bool(simulation.call(head, Message<schema::OpenStore>::make())));
  BOOST_TEST(bool(simulation.call(head, Message<schema::OpenStore>::make())));
  const auto second = simulation.call(checkpointer("head"), Message<schema::OpenStore>::make());
  BOOST_REQUIRE(!second);
  BOOST_TEST((second.error().code == Errc::already_exists));
  BOOST_TEST(second.error().context.find("holds it") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_store_that_lost_a_file_is_an_error_and_nothing_else) {
  BOOST_TEST(bool(simulation.call(head, commitment())));
  BOOST_TEST(bool(simulation.kill_actor(other.address, {Errc::unavailable, "the test ends it"})));
  std::filesystem::remove_all(path() / "other");
  BOOST_TEST((newest_failure_and_term() == std::pair(Errc::corruption, std::uint64_t{1})));
}

// Goal: who takes a job over is not disturbed by what its predecessor still wants written, made a
// checkpoint or removed, not even through the store's next writer. Method: all of it comes after
// the successor asked for the newest checkpoint, and before it has written anything itself.
BOOST_AUTO_TEST_CASE(what_a_deposed_coordinator_still_says_is_refused) {
  BOOST_TEST(bool(simulation.call(head, commitment(6))));
  const auto late = commitment(7);
  const auto take_over = [this](std::uint64_t reached) {
    return simulation
        .call(head, Message<schema::LoadNewest>::make([&](auto root) {
                root.setTakeOver(true);
                root.setReached(reached);
              }))
        ->read([](schema::NewestLoaded::Reader read) {
          BOOST_TEST(read.getManifest().getIteration() == 6u);
          return read.getLatestTerm();
        });
  };
  // Shards may be further than what was ever stored.
  BOOST_TEST(take_over(4) == 4u);
  for (int writer = 0; writer < 2; ++writer) {
    BOOST_TEST((simulation.call(head, late).error().code == Errc::stale));
    BOOST_TEST((write_result(head, 7).error().code == Errc::stale));
    BOOST_TEST(bool(simulation.kill_actor(head.address, {Errc::unavailable, "by the test"})));
    head = checkpointer("head");
  }
  // Another node's store hears of the term when it is opened.
  BOOST_TEST(bool(simulation.call(
      other, Message<schema::OpenStore>::make([](auto root) { root.setTerm(5); }))));
  BOOST_TEST((write_result(other, 7).error().code == Errc::stale));
  const auto parts = [this] { return tables("other").size(); };
  const auto before = parts();
  const auto drop = [&](std::uint64_t term) {
    simulation.tell(other.address, Message<schema::DropOld>::make([&](auto root) {
                                     root.setTerm(term);
                                     auto keep = root.initKeep(1)[0];
                                     keep.setTerm(1);
                                     keep.setIteration(7);
                                   }).any());
    simulation.run_until(simulation.now() + std::chrono::seconds(1));
  };
  drop(4);
  BOOST_TEST(parts() == before);
  drop(5);
  BOOST_TEST(parts() < before);
}

// Goal: a disk on which the fence cannot be kept does not keep a job from its checkpoints, and the
// fence holds for as long as it can. Method: a folder in the place of its file.
BOOST_AUTO_TEST_CASE(a_fence_that_cannot_be_kept_is_told_and_holds) {
  BOOST_TEST(bool(simulation.call(head, commitment(6))));
  const auto late = commitment(7);
  std::filesystem::create_directory(path() / "head" / "FENCE");
  const auto newest = simulation.call(
      head, Message<schema::LoadNewest>::make([](auto root) { root.setTakeOver(true); }));
  BOOST_REQUIRE(bool(newest));
  newest->read([](auto read) { BOOST_TEST(read.getManifest().getIteration() == 6u); });
  BOOST_TEST(simulation.log_lines().back().text.find("are refused only until") !=
             std::string::npos);
  BOOST_TEST((simulation.call(head, late).error().code == Errc::stale));
}

// Goal: a run begins above what its second place has, so that its copies are the newest there.
BOOST_AUTO_TEST_CASE(the_terms_at_the_second_place_count) {
  BOOST_TEST(bool(simulation.call(head, commitment())));
  const tests::TempDir elsewhere;
  const auto latest = [&] {
    return simulation
        .call(checkpointer("head", elsewhere.path()),
              Message<schema::LoadNewest>::make(
                  [this](auto root) { root.setCopyTo(path().string()); }))
        ->read([](auto read) { return read.getLatestTerm(); });
  };
  BOOST_TEST(latest() == 1u);
  BOOST_TEST(bool(
      simulation.call(head, Message<schema::OpenStore>::make([](auto root) { root.setTerm(9); }))));
  BOOST_TEST(latest() == 9u);
}

// Goal: a checkpoint of another directory is found and read through this one's checkpointer, and is
// the one that was asked for. Method: the first of two, from a checkpointer of an empty directory.
BOOST_AUTO_TEST_CASE(a_chosen_checkpoint_of_another_directory_is_read) {
  BOOST_TEST(bool(simulation.call(head, commitment(6))));
  BOOST_TEST(bool(simulation.call(head, commitment(7))));
  const tests::TempDir elsewhere;
  const Checkpointer reader = checkpointer("head", elsewhere.path());
  const auto choose = [&](std::uint64_t iteration) {
    return simulation.call(reader, Message<schema::LoadChosen>::make([&](auto root) {
                             root.initChoice().setDirectory(path().string());
                             root.getChoice().getCheckpoint().setIteration(iteration);
                           }));
  };
  const auto chosen = choose(6);
  BOOST_REQUIRE(bool(chosen));
  const auto range = chosen->read([&](schema::ChosenLoaded::Reader read) {
    BOOST_TEST(read.getManifest().getIteration() == 6u);
    return simulation.call(reader, Message<schema::ReadRange>::make([&](auto root) {
                             root.setManifest(read.getManifest());
                             root.setCount(parameters);
                             root.setDirectory(path().string());
                           }));
  });
  BOOST_REQUIRE(bool(range));
  range->read([](schema::RangeRead::Reader read) {
    BOOST_TEST(runtime::as_floats(read.getValues())[16'384] == 2);
  });
  const auto absent = choose(5);
  BOOST_REQUIRE(!absent);
  BOOST_TEST((absent.error().code == Errc::not_found));
  BOOST_TEST(absent.error().context.find("iterations 6, 7") != std::string::npos);
  BOOST_TEST(std::filesystem::is_empty(elsewhere.path()));
}

// Goal: a repair says what it gave up, and a store of which nothing is left is no beginning.
BOOST_AUTO_TEST_CASE(what_a_repair_could_not_keep_is_told) {
  BOOST_TEST(bool(simulation.call(head, commitment(6))));
  BOOST_TEST(bool(simulation.call(head, commitment(7))));
  const auto files = tables("head");
  const std::string told = repaired(head, "head", {*files.rbegin()});
  BOOST_TEST(told.find("lost: ") != std::string::npos, told);
  BOOST_TEST(told.find("iteration 7") != std::string::npos, told);
  BOOST_TEST((newest_failure_and_term().first == Errc{}));
  repaired(head, "head", tables("head"));
  BOOST_TEST((newest_failure_and_term().first == Errc::corruption));
}

// Goal: a store without manifests says as well which checkpoints its repair has cost. Method: its
// newest file is the record of the newest part; blocks of equal numbers are those of the first.
BOOST_AUTO_TEST_CASE(what_a_repair_of_parts_costs_is_told) {
  BOOST_TEST(bool(simulation.call(head, commitment(6))));
  const auto first = tables("other");
  BOOST_TEST(bool(simulation.call(head, commitment(7))));
  std::string told = repaired(other, "other", {*tables("other").rbegin()});
  BOOST_TEST(told.find("are lost: iteration 7 (term 1); whole in it: iteration 6 (term 1)") !=
                 std::string::npos,
             told);
  told = repaired(other, "other", first);
  BOOST_TEST(told.find("are lost: iteration 6 (term 1), iteration 7 (term 1)") != std::string::npos,
             told);
  BOOST_TEST(told.find("whole in it") == std::string::npos, told);
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/train.hpp"

#include <zlib.h>

#include <boost/test/unit_test.hpp>

#include "storage/store_lock.hpp"
#include "tests/cluster/tiny_job.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/tools/slime/foreign_listener.hpp"
#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace train_test {

struct BadInput : TempDir {
  const TinyJob job{*this};

  boost::test_tools::predicate_result refused(const std::vector<std::string>& sets, int code,
                                              std::string_view part) const {
    std::vector<std::string> arguments{"train", job.file().string()};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    return refuses(*this, arguments, code, part);
  }
  static std::string list(const std::filesystem::path& images,
                          const std::filesystem::path& labels) {
    return "data.train=[\"" + images.string() + "\", \"" + labels.string() + "\"]";
  }
};

}  // namespace train_test

// What a run does when all is well is told in tests/cluster/train_test.cpp; here is how it ends
// when it cannot: with one line and a code, and nothing left running.
BOOST_FIXTURE_TEST_SUITE(train_test, BadInput)

BOOST_AUTO_TEST_CASE(a_job_file_that_makes_no_job_is_refused) {
  BOOST_TEST(refuses(*this, {"train"}, 2, "job"));
  BOOST_TEST(refuses(*this, {"train", "/nowhere.toml"}, 4, "there is no such file"));
  BOOST_TEST(refused({"wrokers=2"}, 2, "did you mean \"workers\"?"));
  BOOST_TEST(refused({"workers=many"}, 2, "workers must be"));
  BOOST_TEST(refused({"sync.mode=bps"}, 2, "did you mean \"bsp\"?"));
  BOOST_TEST(refused({"model.layers=[\"dens 10\"]"}, 2, "did you mean \"dense\"?"));
}

BOOST_AUTO_TEST_CASE(a_record_never_replaces_the_job_file) {
  const std::string file = job.file().string();
  const std::string before = read(job.file().filename());
  BOOST_TEST(refuses(*this, {"train", file, "--record", file}, 2, "would replace the job file"));
  BOOST_TEST(read(job.file().filename()) == before);
}

BOOST_AUTO_TEST_CASE(a_layer_that_cannot_be_built_is_refused_by_the_job) {
  BOOST_TEST(refused({"model.layers=[\"dense ten\"]"}, 2, "dense ten"));
  BOOST_TEST(none_left(path().string(), 5s));
}

BOOST_AUTO_TEST_CASE(a_missing_data_set_is_refused_before_anything_starts) {
  BOOST_TEST(refused({list("/nowhere", job.labels())}, 4, "/nowhere: there is no such file"));
}

BOOST_AUTO_TEST_CASE(swapped_and_mismatched_files_are_refused) {
  BOOST_TEST(refused({list(job.labels(), job.images())}, 9, "expected magic number"));
  BOOST_TEST(refused({list(job.images(), path() / "test-labels")}, 2, "640"));
  BOOST_TEST(none_left(path().string(), 5s));
}

BOOST_AUTO_TEST_CASE(a_truncated_file_is_refused) {
  const std::string images = read("train-images");
  const auto file = path() / "images.gz";
  const gzFile out = ::gzopen(file.c_str(), "wb");
  BOOST_REQUIRE(::gzwrite(out, images.data(), static_cast<unsigned>(images.size())) > 0);
  ::gzclose(out);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  BOOST_TEST(refused({list(file, job.labels())}, 9, "the gzip stream ends too early"));
}

BOOST_AUTO_TEST_CASE(a_job_that_diverges_has_failed_and_was_not_asked_wrongly) {
  for (const char* reduction : {"reduction=reproducible", "reduction=fast"}) {
    SlimeProcess run(*this, {"train", job.file().string(), "--set", reduction, "--set",
                             "optimizer.learning_rate=1e30"});
    BOOST_TEST(run.wait(20s).value_or(-1) == 1);
    BOOST_TEST(run.says("diverge", 0s));
  }
}

BOOST_AUTO_TEST_CASE(a_store_of_another_process_is_refused) {
  const auto store = job.checkpoints() / "shard-0";
  std::filesystem::create_directories(store);
  const auto held = storage::StoreLock::acquire(store);
  BOOST_REQUIRE(bool(held));
  BOOST_TEST(refused({}, 5, "holds it"));
}

BOOST_AUTO_TEST_CASE(nothing_to_resume_from_is_an_error) {
  const std::vector<std::string> resume{"train", job.file().string(), "--resume", "--directory",
                                        (path() / "logs").string()};
  BOOST_TEST(refuses(*this, resume, 4, "there is no checkpoint in "));
  BOOST_TEST(!std::filesystem::exists(path() / "logs"));  // Before anything was started.
}

// Goal: nobody gets another checkpoint than the one that was named, and a slip is told as one.
BOOST_AUTO_TEST_CASE(a_checkpoint_that_cannot_be_resumed_is_named) {
  const auto refused_from = [&](const std::string& from, int code, std::string_view part) {
    return refuses(*this, {"train", job.file().string(), "--resume" + from}, code, part);
  };
  BOOST_TEST(refused_from("=", 2, "--resume alone goes on from the newest"));
  BOOST_TEST(refused_from("=bset", 4, "did you mean \"best\"?"));
  BOOST_TEST(refused_from("=" + path().string() + "@lst", 2, "neither an iteration nor"));
  {
    auto store =
        storage::CheckpointStore::open(job.checkpoints() / "head", storage::OpenMode::create);
    for (const std::uint64_t k : {10, 20})
      BOOST_REQUIRE(bool(slime::tests::save(*store, {1, k}, slime::tests::numbers(100, k))));
  }
  BOOST_TEST(refused_from("=15", 4, "there are those of iterations 10, 20"));
  BOOST_TEST(refused_from("=best", 4, "the accuracy of none was measured"));
  BOOST_TEST(refused_from("=" + job.checkpoints().string() + "@15", 4, "iterations 10, 20"));
  BOOST_TEST(refused_from("=10", 2, "the checkpoint was made with another"));
  std::filesystem::path newest;
  for (const auto& entry : std::filesystem::directory_iterator(job.checkpoints() / "head"))
    if (entry.path().extension() == ".sst") newest = std::max(newest, entry.path());
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 1);
  BOOST_TEST(refused_from("=20", 9, "the chosen checkpoint, iteration 20 (term 1)"));
  BOOST_TEST(none_left(path().string(), 5s));
}

BOOST_AUTO_TEST_CASE(a_script_gets_the_reason_as_json) {
  SlimeProcess run(*this, {"train", job.file().string(), "--json", "--set", "wrokers=2"});
  BOOST_TEST(run.wait(20s).value_or(-1) == 2);
  BOOST_TEST(run.out().starts_with(R"({"ok":false,"error":"invalid_argument","exit_code":2,)"));
}

BOOST_AUTO_TEST_CASE(who_cannot_be_spoken_to_is_told_apart_by_code) {
  const std::string token = write("token", "another").string();
  const auto at = [&](const std::string& address) {
    return std::vector<std::string>{"train", job.file().string(), "--address", address};
  };
  const auto with_token = [&](const std::string& address) {
    auto arguments = at(address);
    arguments.insert(arguments.end(), {"--token-file", token});
    return arguments;
  };
  const std::string nobody = "unix:" + (path() / "nobody").string();
  const StartedCluster cluster;
  const ForeignListener other(other_version());
  BOOST_TEST(refuses(*this, with_token(nobody), 7, "speaking to"));
  BOOST_TEST(refuses(*this, with_token(cluster.address), 11, "another token"));
  BOOST_TEST(refuses(*this, with_token(other.address()), 10, "another version"));
  // Without any token the address still says more.
  BOOST_TEST(refuses(*this, at(nobody), 7, "speaking to"));
  BOOST_TEST(refuses(*this, at("tcp:127.0.0.1:1"), 7, "Connection refused"));
  BOOST_TEST(refuses(*this, at("foo"), 2, "there is no port"));
  BOOST_TEST(refuses(*this, at(cluster.address), 11, "no token was shown"));
  BOOST_TEST(refuses(*this, at(other.address()), 10, "another version"));
}

BOOST_AUTO_TEST_SUITE_END()

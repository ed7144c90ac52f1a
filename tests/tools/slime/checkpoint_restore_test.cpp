#include "tools/slime/checkpoint_restore.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace checkpoint_restore_test {

/// A job that was trained, and others that begin with what it learnt.
struct Trained : TempDir {
  Trained() { run({"train", job.file().string(), "--set", "epochs=2"}); }

  /// Runs slime to its good end and returns what it printed last.
  std::string run(const std::vector<std::string>& arguments) const {
    SlimeProcess process(*this, arguments);
    BOOST_REQUIRE_MESSAGE(process.wait(60s).value_or(-1) == 0, process.err());
    return process.last_line();
  }
  std::string file(const std::string& name) const { return (path() / name).string(); }
  std::vector<std::string> restoring(const std::string& to,
                                     std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"checkpoint", "restore", runs, file(to), "--job", job.file().string(), "--json"});
    return more;
  }
  /// What `diff` says of the newest of both.
  std::string difference(const std::string& from, const std::string& to) const {
    return run({"checkpoint", "diff", from, to, "--json"});
  }

  const TinyJob job{*this};
  const std::string runs = job.checkpoints().string();
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace checkpoint_restore_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_restore_test, Trained)

BOOST_AUTO_TEST_CASE(a_job_begins_with_all_that_another_one_learnt) {
  const std::string told = run(restoring("all", {"--slots"}));
  BOOST_TEST(has(told, R"("iteration":0,"term":1,"imported":["0.weight",)"), told);
  BOOST_TEST(has(told, R"("0.weight.slot_0")"), told);
  const auto exported = [this](const std::string& from) {
    run({"checkpoint", "export", from, file("tensors.npz"), "--slots", "--force", "--only", "*"});
    const std::string bytes = read("tensors.npz");
    // Without the comment at the end, which tells of iteration and accuracy.
    return bytes.substr(0, bytes.rfind("PK\5\6"));
  };
  BOOST_TEST((exported(runs) == exported(file("all"))));
  const std::string trained = run({"train", job.file().string(), "--json", "--resume", "--set",
                                   "epochs=1", "--set", "checkpoint.directory=" + file("all")});
  BOOST_TEST(has(trained, R"("resumed_from":0)"), trained);
}

// Goal: only what is named is taken, under the name that it gets, and the rest is as a new job has
// it; the optimizer begins anew unless it is told otherwise.
BOOST_AUTO_TEST_CASE(a_job_begins_with_some_of_it) {
  const std::string told =
      run(restoring("some", {"--only", "0.*", "--only", "1.bias", "--allow-missing"}));
  BOOST_TEST(has(told, R"("imported":["0.weight","0.bias","1.bias"],"initial":["1.weight",)"),
             told);
  BOOST_TEST(has(told, R"("0.weight.slot_0")"), told);
  const std::string different = difference(runs, file("some"));
  BOOST_TEST_MESSAGE(different);
  // Another job's names: what was the second layer is the third.
  const std::vector<std::string> deeper{
      "--set",          "model.layers=[\"dense 256 relu\", \"dense 256 relu\", \"dense 10\"]",
      "--map",          "1.weight=2.weight",
      "--map",          "1.bias=2.bias",
      "--allow-missing"};
  const std::string mapped = run(restoring("deeper", deeper));
  BOOST_TEST(
      has(mapped, R"("imported":["0.weight","0.bias","2.weight","2.bias"],"initial":["1.weight",)"),
      mapped);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_restored_is_told_and_nothing_is_written) {
  BOOST_TEST(refuses(*this, restoring("bad", {"--only", "2.*"}), 2, "2.*"));
  BOOST_TEST(refuses(*this, restoring("bad", {"--only", "0.*"}), 2, "--allow-missing"));
  BOOST_TEST(refuses(*this,
                     restoring("bad", {"--set", "model.layers=[\"dense 128 relu\", \"dense 10\"]"}),
                     2, "has shape [64, 256] in the checkpoint"));
  auto absent = restoring("bad");
  absent[2] += "@7";
  BOOST_TEST(refuses(*this, absent, 4, "there are those of iterations"));
  std::filesystem::remove_all(job.checkpoints() / "shard-1");
  BOOST_TEST(refuses(*this, restoring("bad"), 9, "shard-1"));
  BOOST_TEST(!std::filesystem::exists(path() / "bad"));
}

BOOST_AUTO_TEST_SUITE_END()

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <memory>
#include <set>

#include "storage/checkpoint_store.hpp"
#include "tests/cluster/slime_process.hpp"
#include "tests/cluster/tiny_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace train_test {

constexpr Duration patience = 40s;
constexpr const char* first_checkpoint = "checkpoint of iteration 10 committed";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The value of a text or number in a JSON line.
std::string field(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\":");
  if (at == std::string::npos) return "";
  const std::size_t from = at + name.size() + 3;
  return json.substr(from, json.find_first_of(",}", from) - from);
}

struct Runs : TempDir {
  const TinyJob job{*this};

  std::vector<std::string> train(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", job.file().string(), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  /// Slow enough for something to happen meanwhile: about 4 s in all.
  std::vector<std::string> slow(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--set", "emulate.sample_us=2000"});
    return train(more);
  }
  pid_t child(const std::string& name) const {
    const auto found = processes_with({path().string(), "--name " + name});
    BOOST_REQUIRE_EQUAL(found.size(), 1U);
    return found.front();
  }
  bool all_gone() const { return none_left(path().string(), 5s); }
};

/// What the job's parameters are when nothing happens to it.
const std::string& undisturbed() {
  static const std::string sha256 = [] {
    const Runs runs;
    SlimeProcess run(runs, runs.train({}));
    BOOST_REQUIRE_EQUAL(run.wait(patience).value_or(-1), 0);
    return field(run.last_line(), "parameters_sha256");
  }();
  return sha256;
}

void check_same_parameters(SlimeProcess& run) {
  const auto code = run.wait(patience);
  BOOST_TEST_MESSAGE(run.err());
  BOOST_REQUIRE(code.has_value());
  BOOST_TEST(*code == 0);
  BOOST_TEST(field(run.last_line(), "ok") == "true");
  BOOST_TEST(field(run.last_line(), "iterations") == "60");
  BOOST_TEST(field(run.last_line(), "samples") == "3840");
  BOOST_TEST(field(run.last_line(), "parameters_sha256") == undisturbed());
}

}  // namespace train_test

// In lock step with reproducible sums every run of a job ends with the same parameters, bit by bit,
// unless a sample was used twice or left out.
BOOST_FIXTURE_TEST_SUITE(train_test, Runs)

BOOST_AUTO_TEST_CASE(a_run_ends_with_its_result_and_leaves_nothing_behind) {
  SlimeProcess run(*this, train({"--set", "target_accuracies=[0.5, 1.0]"}));
  check_same_parameters(run);
  const std::string result = run.last_line();
  BOOST_TEST_MESSAGE(result);
  BOOST_TEST(undisturbed().size() == 66U);
  BOOST_TEST(std::stod(field(result, "test_accuracy")) > 0.6);
  BOOST_TEST(field(result, "resumed_from") == "null");
  BOOST_TEST(field(result, "makespan_ratio") == "null");
  BOOST_TEST(has(result, R"("time_to_accuracy":{"0.5":)"));
  BOOST_TEST(all_gone());
}

BOOST_AUTO_TEST_CASE(a_killed_worker_is_replaced_and_no_sample_is_lost) {
  SlimeProcess run(*this, slow());
  BOOST_REQUIRE(run.says(first_checkpoint, patience));
  ::kill(child("worker-0"), SIGKILL);
  check_same_parameters(run);
  BOOST_TEST(has(run.err(), "ended by signal 9 (Killed)"));
  BOOST_TEST(!has(run.err(), "rolling back"));
  BOOST_TEST(all_gone());
}

BOOST_AUTO_TEST_CASE(a_killed_shard_takes_the_job_back_to_the_newest_checkpoint) {
  SlimeProcess run(*this, slow());
  BOOST_REQUIRE(run.says(first_checkpoint, patience));
  ::kill(child("shard-1"), SIGKILL);
  check_same_parameters(run);
  BOOST_TEST(has(run.err(), "to the checkpoint of iteration "));
  BOOST_TEST(all_gone());
}

BOOST_AUTO_TEST_CASE(a_killed_run_takes_its_processes_with_it_and_is_resumed) {
  {
    SlimeProcess run(*this, slow());
    BOOST_REQUIRE(run.says(first_checkpoint, patience));
    run.signal(SIGKILL);
    BOOST_TEST(run.wait(5s).value_or(0) == -SIGKILL);
    BOOST_TEST(all_gone());
  }
  SlimeProcess resumed(*this, train({"--resume"}));
  check_same_parameters(resumed);
  BOOST_TEST(std::stoi(field(resumed.last_line(), "resumed_from")) >= 10);
  for (const auto& entry : std::filesystem::directory_iterator(path()))
    BOOST_TEST(!entry.path().filename().string().starts_with("slime-run-"));
}

// Goal: a damaged store costs what was in the damaged file and nothing else. Method: the end of the
// newest table in one shard's store, where the file says what is in it, and all that RocksDB noted
// about its files in the other's.
BOOST_AUTO_TEST_CASE(a_damaged_checkpoint_is_passed_over_and_the_one_before_it_resumed) {
  {
    SlimeProcess run(*this, train({}));
    check_same_parameters(run);
  }
  std::filesystem::path newest, bookkeeping;
  for (const auto& entry : std::filesystem::directory_iterator(job.checkpoints() / "shard-0"))
    if (entry.path().extension() == ".sst" && entry.file_size() > 10'000)
      newest = std::max(newest, entry.path());
  for (const auto& entry : std::filesystem::directory_iterator(job.checkpoints() / "shard-1"))
    if (entry.path().filename().string().starts_with("MANIFEST-")) bookkeeping = entry.path();
  const auto end = static_cast<std::streamoff>(std::filesystem::file_size(newest));
  std::fstream file(newest, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(end - 4);
  file.put('x');
  file.close();
  std::filesystem::resize_file(bookkeeping, 0);

  SlimeProcess resumed(*this, train({"--resume"}));
  check_same_parameters(resumed);
  BOOST_TEST(field(resumed.last_line(), "resumed_from") == "50");
  BOOST_TEST(has(resumed.err(), "skipped a checkpoint that is not whole: iteration 60"));
}

// Goal: an older checkpoint is gone on from as if nothing had followed it, in the same directory
// and in another; what is there stays, and the newest is then that of the resumed run.
BOOST_AUTO_TEST_CASE(an_older_checkpoint_is_resumed_beside_the_newer_ones) {
  {
    SlimeProcess run(*this, slow({"--set", "checkpoint.keep=100"}));
    check_same_parameters(run);
  }
  const auto ids = [](const std::filesystem::path& directory) {
    return storage::CheckpointStore::open(directory / "head", storage::OpenMode::read_only)->list();
  };
  const auto before = ids(job.checkpoints());
  BOOST_REQUIRE(before.size() > 2U);
  const std::string older = std::to_string(before[1].iteration);
  SlimeProcess resumed(*this, slow({"--resume=" + older}));
  BOOST_REQUIRE(resumed.says("checkpoint of iteration " + older + " committed", patience));
  ::kill(child("shard-1"), SIGKILL);
  check_same_parameters(resumed);
  BOOST_TEST(field(resumed.last_line(), "resumed_from") == older);
  BOOST_TEST(has(resumed.err(), "rolling back from iteration"));
  BOOST_TEST(!has(resumed.err(), "to the checkpoint of iteration 60"));
  const auto after = ids(job.checkpoints());
  BOOST_TEST(std::ranges::includes(after, before));
  BOOST_TEST(after.back().term > 1U);

  const std::filesystem::path elsewhere = path() / "elsewhere";
  const std::string moved_to = "checkpoint.directory=" + elsewhere.string();
  SlimeProcess moved(*this, train({"--resume=" + job.file().string() + "@" + older, "--set",
                                   moved_to, "--set", "checkpoint.keep=100"}));
  check_same_parameters(moved);
  BOOST_TEST(field(moved.last_line(), "resumed_from") == older);
  BOOST_TEST((ids(job.checkpoints()) == after));
  BOOST_TEST(ids(elsewhere).front().iteration == before[1].iteration);
  SlimeProcess ended(*this, train({"--resume", "--set", moved_to}));
  check_same_parameters(ended);
  BOOST_TEST(field(ended.last_line(), "resumed_from") == "60");
}

// Goal: a pin that is set while the job runs holds, for as long as it stands.
BOOST_AUTO_TEST_CASE(what_is_pinned_while_the_job_runs_is_kept) {
  SlimeProcess run(*this, slow({"--set", "checkpoint.keep=1"}));
  BOOST_REQUIRE(run.says(first_checkpoint, patience));
  const std::string runs = job.checkpoints().string();
  SlimeProcess pin(*this, {"checkpoint", "pin", runs + "@10"});
  BOOST_TEST(pin.wait(patience).value_or(-1) == 0);
  check_same_parameters(run);
  const auto iterations = [&] {
    std::set<std::uint64_t> found;
    for (const auto id :
         storage::CheckpointStore::open(job.checkpoints() / "head", storage::OpenMode::read_only)
             ->list())
      found.insert(id.iteration);
    return found;
  };
  BOOST_TEST((iterations() == std::set<std::uint64_t>{10, 60}));
  SlimeProcess verify(*this, {"checkpoint", "verify", runs});
  BOOST_TEST(verify.wait(patience).value_or(-1) == 0);
  SlimeProcess unpin(*this, {"checkpoint", "unpin", runs + "@10"});
  BOOST_TEST(unpin.wait(patience).value_or(-1) == 0);
  SlimeProcess prune(*this, {"checkpoint", "prune", runs, "--keep", "1"});
  BOOST_TEST(prune.wait(patience).value_or(-1) == 0);
  BOOST_TEST((iterations() == std::set<std::uint64_t>{60}));
}

// Case D5. Goal: what was saved on four shards goes on with any number of them, and comes to the
// same parameters and optimizer slots, bit by bit. Method: ten blocks of parameters, so that each
// of seven shards has some; the files that are exported are compared, one after the other.
BOOST_AUTO_TEST_CASE(a_checkpoint_is_resumed_on_any_number_of_shards) {
  const auto path_of = [this](const std::string& name) { return (path() / name).string(); };
  const auto to_end = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.end(), {"--set", R"(model.layers=["dense 2000 relu", "dense 10"])", "--set",
                             "checkpoint.directory=" + path_of(name)});
    SlimeProcess run(*this, train(more));
    BOOST_REQUIRE_MESSAGE(run.wait(patience).value_or(-1) == 0, run.err());
  };
  const auto exported = [&](const std::string& name) {
    SlimeProcess run(*this, {"checkpoint", "export", path_of(name) + "@20",
                             path_of(name + ".safetensors"), "--slots"});
    BOOST_REQUIRE_MESSAGE(run.wait(patience).value_or(-1) == 0, run.err());
    return read(name + ".safetensors");
  };
  to_end("undisturbed", {"--set", "shards=4", "--set", "epochs=2"});
  const std::string expected = exported("undisturbed");
  BOOST_TEST(expected.size() > 2 * 150'000 * sizeof(float));
  to_end("four", {"--set", "shards=4", "--set", "epochs=1"});
  for (const std::string shards : {"1", "2", "3", "5", "7"}) {
    to_end("on-" + shards,
           {"--resume=" + path_of("four"), "--set", "shards=" + shards, "--set", "epochs=2"});
    BOOST_TEST((exported("on-" + shards) == expected), shards + " shards");
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_is_asked_to_end_checkpoints_first) {
  {
    SlimeProcess run(*this, slow());
    BOOST_REQUIRE(run.says("training from iteration 0", patience));
    run.signal(SIGTERM);
    BOOST_TEST(run.wait(patience).value_or(0) == 128 + SIGTERM);
    BOOST_TEST(field(run.last_line(), "error") == "\"interrupted\"");
    BOOST_TEST(has(run.err(), "--resume goes on from iteration "));
    BOOST_TEST(all_gone());
  }
  SlimeProcess resumed(*this, train({"--resume"}));
  check_same_parameters(resumed);
  BOOST_TEST(field(resumed.last_line(), "resumed_from") != "null");
}

// Goal: whoever ends a run by its service, its job or its name signals all of its processes; it
// must end as one that was asked alone. Method: the parent is asked last, the worst order.
BOOST_AUTO_TEST_CASE(a_run_whose_processes_are_all_asked_to_end_checkpoints_first) {
  {
    SlimeProcess run(*this, slow());
    BOOST_REQUIRE(run.says("training from iteration 0", patience));
    for (const pid_t node : processes_with({path().string(), "--name "})) ::kill(node, SIGTERM);
    run.signal(SIGTERM);
    BOOST_TEST(run.wait(patience).value_or(0) == 128 + SIGTERM);
    BOOST_TEST_MESSAGE(run.err());
    BOOST_TEST(has(run.err(), "stopped by signal 15 at iteration "));
    BOOST_TEST(has(run.err(), "--resume goes on from iteration "));
    BOOST_TEST(!has(run.err(), "rolling back"));
    BOOST_TEST(all_gone());
  }
  SlimeProcess resumed(*this, train({"--resume"}));
  check_same_parameters(resumed);
  BOOST_TEST(field(resumed.last_line(), "resumed_from") != "null");
}

// Goal: Slurm's two ways to end a job, `--signal=USR1@SECONDS` and pre-emption, which continues and
// then terminates what may be suspended. Method: all processes of a run get what they would get.
BOOST_AUTO_TEST_CASE(a_run_that_a_batch_system_ends_checkpoints_first) {
  const std::vector<std::vector<int>> ways{{SIGUSR1}, {SIGSTOP, SIGCONT, SIGTERM}};
  for (const auto& way : ways) {
    SlimeProcess run(*this, slow({"--grace", "60"}));
    BOOST_REQUIRE(run.says("training from iteration ", patience));
    for (const int signal : way)
      for (const pid_t process : processes_with({path().string()})) ::kill(process, signal);
    BOOST_TEST(run.wait(patience).value_or(0) == 128 + way.back());
    BOOST_TEST_MESSAGE(run.err());
    BOOST_TEST(has(run.err(), "stopped by signal " + std::to_string(way.back())));
    BOOST_TEST(has(run.err(), "--resume goes on from iteration "));
    BOOST_TEST(!has(run.err(), "rolling back"));
    BOOST_TEST(all_gone());
  }
}

BOOST_AUTO_TEST_CASE(a_second_signal_to_all_processes_ends_a_run_at_once) {
  SlimeProcess run(*this, slow({"--set", "emulate.speeds=[0.01, 0.01]"}));
  BOOST_REQUIRE(run.says("training from iteration 0", patience));
  const auto ask_all = [&] {
    for (const pid_t process : processes_with({path().string()})) ::kill(process, SIGTERM);
  };
  ask_all();
  BOOST_REQUIRE(run.says("once more ends the run at once", 5s));
  BOOST_TEST(!run.wait(1200ms).has_value());
  ask_all();
  BOOST_TEST(run.wait(5s).value_or(0) == 128 + SIGTERM);
  BOOST_TEST(has(run.err(), "ended by signal 15 at iteration "));
  BOOST_TEST(all_gone());
}

BOOST_AUTO_TEST_CASE(a_job_runs_on_a_cluster_that_is_there) {
  const std::string session = (path() / "session").string();
  SlimeProcess head(*this, {"start", "--head", "--role", "head", "--session", session});
  BOOST_REQUIRE(head.says("listens at", patience));
  const std::string text = head.out();
  const std::size_t from = text.find("tcp:");
  const std::string address = text.substr(from, text.find('\n') - from);
  SlimeProcess one(*this, {"start", "--join", address, "--name", "one", "--session", session});
  SlimeProcess two(*this, {"start", "--join", address, "--name", "two", "--session", session});

  SlimeProcess run(*this, train({"--address", address, "--session", session}));
  check_same_parameters(run);
  // The cluster is as it was: it runs the next job too, whoever watches that.
  {
    SlimeProcess lost(*this, slow({"--address", address, "--session", session}));
    BOOST_REQUIRE(lost.says(first_checkpoint, patience));
    lost.signal(SIGKILL);
  }
  SlimeProcess again(*this, train({"--address", address, "--session", session, "--attach"}));
  check_same_parameters(again);

  SlimeProcess stop(*this, {"stop", "--session", session});
  BOOST_TEST(stop.wait(patience).value_or(-1) == 0);
  BOOST_TEST(has(stop.out(), "head"));
  BOOST_TEST(head.wait(5s).value_or(-1) == 0);
  BOOST_TEST(all_gone());
}

// Goal: a head's death pauses the job. Its next process takes up the nodes with the workers and the
// shards on them, and whoever watches the job goes on watching.
BOOST_AUTO_TEST_CASE(a_killed_head_is_started_again_and_its_job_goes_on) {
  const std::string session = (path() / "session").string();
  const std::vector<std::string> as_head{
      "start",     "--head", "--role",  "head",
      "--session", session,  "--state", (path() / "state").string()};
  auto head = std::make_unique<SlimeProcess>(*this, as_head);
  BOOST_REQUIRE(head->says("listens at", patience));
  const std::string text = head->out();
  const std::size_t from = text.find("tcp:");
  const std::string address = text.substr(from, text.find('\n') - from);
  SlimeProcess one(*this, {"start", "--join", address, "--name", "one", "--session", session});
  SlimeProcess two(*this, {"start", "--join", address, "--name", "two", "--session", session});
  SlimeProcess run(*this, slow({"--address", address, "--session", session}));
  BOOST_REQUIRE(run.says(first_checkpoint, patience));

  head->signal(SIGKILL);
  BOOST_REQUIRE(head->wait(patience).has_value());
  BOOST_TEST(one.says("waiting for it for up to 60 s", patience));
  head = std::make_unique<SlimeProcess>(*this, as_head);
  BOOST_REQUIRE(head->says("head takes up the cluster in", patience));
  BOOST_TEST(has(head->out(), "head listens at " + address + "\n"));

  check_same_parameters(run);
  BOOST_TEST(has(run.err(), "taking over from a coordinator that died"));
  BOOST_TEST(!has(run.err(), "rolling back"));
  for (SlimeProcess* node : {&one, &two})
    BOOST_TEST(node->says("this node has joined it again", 0s));

  SlimeProcess stop(*this, {"stop", "--session", session});
  BOOST_TEST(stop.wait(patience).value_or(-1) == 0);
  BOOST_TEST(head->wait(5s).value_or(-1) == 0);
  BOOST_TEST(all_gone());
}

BOOST_AUTO_TEST_SUITE_END()

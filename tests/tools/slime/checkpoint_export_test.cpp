#include "tools/slime/checkpoint_export.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/cluster/tiny_job.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/build_places.hpp"
#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace checkpoint_export_test {

/// The text of field `name` in a line of JSON.
std::string field(const std::string& json, const std::string& name) {
  const std::string begin = "\"" + name + "\":\"";
  const std::size_t from = json.find(begin);
  if (from == std::string::npos) return "";
  return json.substr(from + begin.size(),
                     json.find('"', from + begin.size()) - from - begin.size());
}

struct Exports : TempDir {
  /// Runs slime to its good end and returns what it printed last.
  std::string run(const std::vector<std::string>& arguments) const {
    SlimeProcess process(*this, arguments);
    BOOST_REQUIRE_MESSAGE(process.wait(60s).value_or(-1) == 0, process.err());
    return process.last_line();
  }
  std::string file(const std::string& name) const { return (path() / name).string(); }

  bool has_draft() const {
    for (const auto& entry : fs::directory_iterator(path()))
      if (entry.path().filename().string().starts_with(".slime-draft-")) return true;
    return false;
  }

  /// A store that takes a while to export: 64 MiB.
  std::string large_store() const {
    constexpr std::uint64_t parameters = 16U << 20;
    auto store =
        storage::CheckpointStore::open(path() / "large" / "head", storage::OpenMode::create);
    BOOST_REQUIRE(bool(save(*store, {1, 10}, numbers(parameters, 1, 0))));
    return file("large");
  }
};

}  // namespace checkpoint_export_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_export_test, Exports)

// Goal: Python reads both formats, and finds the parameters that the run ended with.
BOOST_AUTO_TEST_CASE(python_reads_what_a_run_ended_with) {
  const TinyJob job(*this);
  const std::string result = run({"train", job.file().string(), "--json"});
  const std::string told = run({"checkpoint", "export", job.file().string() + "@newest",
                                file("all.safetensors"), "--slots", "--json"});
  BOOST_TEST(told.starts_with("{\"ok\":true,"));
  BOOST_TEST(told.find(R"("job":"tiny","iteration":60,"term":1,"epoch":6,)") != std::string::npos);
  BOOST_TEST(told.find(R"("tensors":8,"numbers":38420,)") != std::string::npos);
  run({"checkpoint", "export", job.checkpoints().string() + "@60", file("all.npz"), "--slots"});
  // Debian's own Python, for others on the PATH do not have its packages.
  const std::string command =
      "/usr/bin/python3 -B " SLIME_SOURCE_DIR "/tests/tools/slime/exported_files.py " +
      file("all.safetensors") + " " + file("all.npz") + " " + field(result, "parameters_sha256");
  BOOST_TEST(std::system(command.c_str()) == 0);

  // A file is there already, a pattern is of nothing, a checkpoint or an extension is not known.
  const std::string from = job.checkpoints().string();
  const auto refused = [&](const std::string& which, const std::string& to, int code,
                           std::string_view part, const std::string& only = "*") {
    return refuses(*this, {"checkpoint", "export", which, file(to), "--only", only}, code, part);
  };
  BOOST_TEST(refused(from, "all.npz", 5, "--force"));
  BOOST_TEST(refused(from, "a.npz", 2, "did you mean \"0.weight\"?", "0.wieght"));
  BOOST_TEST(refused(from + "@61", "a.npz", 4, "60"));
  BOOST_TEST(refused(from, "a.nzp", 2, "did you mean \".npz\"?"));
  BOOST_TEST(!fs::exists(path() / "a.npz"));
  run({"checkpoint", "export", from, file("all.npz"), "--force", "--only", "*.bias"});
  BOOST_TEST(fs::file_size(path() / "all.npz") < 4000u);
}

// Goal: how many shards trained and saved a model is no matter to what is exported.
BOOST_AUTO_TEST_CASE(one_shard_and_four_give_the_same_files) {
  const TinyJob job(*this);
  for (const std::string shards : {"1", "4"}) {
    run({"train", job.file().string(), "--set", "shards=" + shards, "--set",
         "checkpoint.directory=" + file("of-" + shards)});
    for (const std::string format : {"npz", "safetensors"})
      run({"checkpoint", "export", file("of-" + shards), file(shards + "." + format), "--slots"});
  }
  for (const std::string format : {".npz", ".safetensors"})
    BOOST_TEST((read("1" + format) == read("4" + format) && read("1" + format).size() > 150'000u));
}

// Goal: under its name a file is whole or not there, whenever the process dies.
BOOST_AUTO_TEST_CASE(a_killed_export_leaves_no_file_under_the_name) {
  const std::string store = large_store();
  bool killed_in_time = false;
  for (int attempt = 0; attempt < 10 && !killed_in_time; ++attempt) {
    const std::string name = "killed-" + std::to_string(attempt) + ".safetensors";
    SlimeProcess process(*this, {"checkpoint", "export", store, file(name)});
    while (!has_draft() && !process.wait(0s)) std::this_thread::sleep_for(100us);
    process.signal(SIGKILL);
    BOOST_REQUIRE(bool(process.wait(20s)));
    killed_in_time = has_draft();
    if (killed_in_time) BOOST_TEST(!fs::exists(path() / name));
  }
  BOOST_TEST(killed_in_time);
}

BOOST_AUTO_TEST_CASE(an_interrupted_export_leaves_nothing) {
  const std::string store = large_store();
  std::optional<int> ended;
  for (int attempt = 0; attempt < 10 && ended.value_or(0) != 143; ++attempt) {
    const std::string name = "stopped-" + std::to_string(attempt) + ".npz";
    SlimeProcess process(*this, {"checkpoint", "export", store, file(name)});
    while (!has_draft() && !process.wait(0s)) std::this_thread::sleep_for(100us);
    process.signal(SIGTERM);
    ended = process.wait(20s);
    BOOST_TEST(!has_draft());
    if (ended == 143) BOOST_TEST(!fs::exists(path() / name));
  }
  BOOST_TEST(ended.value_or(-1) == 143);
}

BOOST_AUTO_TEST_SUITE_END()

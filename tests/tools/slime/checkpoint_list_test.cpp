#include "tools/slime/checkpoint_list.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(checkpoint_list_test, TempDir)

BOOST_AUTO_TEST_CASE(what_a_run_left_is_listed_by_folder_and_by_job_file) {
  const TinyJob job(*this);
  SlimeProcess run(*this, {"train", job.file().string()});
  BOOST_REQUIRE(run.wait(40s).value_or(-1) == 0);
  SlimeProcess text(*this, {"checkpoint", "list", job.checkpoints().string()});
  BOOST_TEST(text.wait(20s).value_or(-1) == 0);
  BOOST_TEST(text.says("valid", 0s));
  SlimeProcess json(*this, {"checkpoint", "list", job.file().string(), "--json"});
  BOOST_TEST(json.wait(20s).value_or(-1) == 0);
  BOOST_TEST(json.says(R"("iteration":60,"term":1,"epoch":6,"samples":3840)", 0s));

  // Spoilt in the store of a shard, where the parameters are.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(job.checkpoints()))
    if (entry.path().extension() == ".sst" && entry.file_size() > 1000) {
      std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      file.write("spoilt", 6);
    }
  SlimeProcess spoilt(*this, {"checkpoint", "list", job.checkpoints().string(), "--json"});
  BOOST_TEST(spoilt.wait(20s).value_or(-1) == 9);
  BOOST_TEST(spoilt.out().starts_with("{\"ok\":false,"));

  // Nothing left of the head's store: who lists and who resumes are told the same.
  for (const auto& entry : std::filesystem::directory_iterator(job.checkpoints() / "head"))
    if (entry.is_regular_file() && entry.path().filename() != "FORMAT")
      std::filesystem::resize_file(entry.path(), 0);
  const std::string folder = job.checkpoints().string();
  BOOST_TEST(refuses(*this, {"checkpoint", "list", folder}, 9, "head"));
  BOOST_TEST(refuses(*this, {"train", job.file().string(), "--resume"}, 9, "head"));
}

BOOST_AUTO_TEST_CASE(nothing_to_list_is_an_error) {
  BOOST_TEST(refuses(*this, {"checkpoint", "list", "/nowhere"}, 4, "there is no such file"));
  BOOST_TEST(refuses(*this, {"checkpoint", "list", path().string()}, 4, "there are none"));
  const std::string job = write("job.toml", "name = \"x\"\n").string();
  BOOST_TEST(refuses(*this, {"checkpoint", "list", job}, 4, "names no checkpoint.directory"));
}

BOOST_AUTO_TEST_SUITE_END()

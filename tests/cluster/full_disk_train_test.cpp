#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

#include "storage/newest_valid.hpp"
#include "tests/cluster/slime_process.hpp"
#include "tests/cluster/tiny_job.hpp"
#include "tests/support/small_disk.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

BOOST_GLOBAL_FIXTURE(NeedsSmallDisk);

namespace full_disk_train_test {

constexpr Duration patience = 60s;

struct Run : TempDir {
  Run() { std::filesystem::create_directories(small); }

  const TinyJob job{*this};
  const std::filesystem::path small = path() / "small";
};

}  // namespace full_disk_train_test

BOOST_FIXTURE_TEST_SUITE(full_disk_train_test, Run)

// Goal: a disk that is full for a while costs the checkpoints of that while and nothing else.
// Method: a real job that is slow enough for the disk to be filled after its first checkpoint and
// given back after the first one that failed.
BOOST_AUTO_TEST_CASE(a_job_goes_on_while_its_disk_is_full) {
  const SmallDisk disk(small, 16 << 20);
  const auto directory = small / "checkpoints";
  SlimeProcess run(
      *this, {"train", job.file().string(), "--json", "--set", "emulate.sample_us=2000", "--set",
              "checkpoint.directory=" + directory.string()});
  BOOST_REQUIRE(run.says("checkpoint of iteration 10 committed", patience));
  disk.fill();
  BOOST_REQUIRE(run.says(" failed: ", patience));
  const std::string told = run.err() + run.out();
  for (const std::string& part :
       {directory.string(), std::string("No space left"), std::string("free space on its disk")})
    BOOST_TEST(told.find(part, told.find(" failed: ")) != std::string::npos, told);
  const auto newest = storage::newest_valid(directory, "head");
  BOOST_REQUIRE_MESSAGE(newest, (newest ? "" : newest.error().context));
  BOOST_TEST(newest->skipped.empty());
  disk.release();
  BOOST_REQUIRE_MESSAGE(run.wait(patience).value_or(-1) == 0, run.err());
  const auto last = storage::newest_valid(directory, "head");
  BOOST_REQUIRE_MESSAGE(last, (last ? "" : last.error().context));
  BOOST_TEST(storage::id_of(last->manifest).iteration == 60u);
  BOOST_TEST(last->skipped.empty());
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/resume_point.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/checkpoint_selection.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;
namespace fs = std::filesystem;

namespace resume_point_test {

/// Two checkpoints of no measured accuracy, and a job file that names their directory.
struct TwoCheckpoints : slime::tests::TempDir {
  TwoCheckpoints() {
    auto store = storage::CheckpointStore::open(directory / "head", storage::OpenMode::create);
    for (const std::uint64_t k : {10, 20})
      BOOST_REQUIRE(bool(slime::tests::save(*store, {1, k}, slime::tests::numbers(100, k))));
  }

  static Result<ResumePoint> point(const std::string& text, StorePlace place = StorePlace::here) {
    return resume_point(text, place, Environment{});
  }
  /// "DIRECTORY WHICH", or why there is none.
  static std::string read(const std::string& text, StorePlace place = StorePlace::here) {
    const auto found = point(text, place);
    if (!found) return found.error().context;
    return found->read([](schema::CheckpointChoice::Reader read) {
      return std::string(read.getDirectory().cStr()) + " " + to_string(storage::selector_of(read));
    });
  }

  const fs::path directory = path() / "runs";
  const std::string job =
      write("job.toml", "[checkpoint]\ndirectory = \"" + directory.string() + "\"\n").string();
};

}  // namespace resume_point_test

BOOST_FIXTURE_TEST_SUITE(resume_point_test, TwoCheckpoints)

BOOST_AUTO_TEST_CASE(words_and_iterations_are_of_the_jobs_own_directory) {
  for (const std::string text : {"newest", "best", "150"}) BOOST_TEST(read(text) == " " + text);
  BOOST_TEST(is_own_newest(*point("newest")));
  BOOST_TEST(!is_own_newest(*point("best")));
  BOOST_TEST(!is_own_newest(*point(directory.string())));
  BOOST_TEST(is_own_newest({}));
}

BOOST_AUTO_TEST_CASE(a_directory_and_a_job_file_are_equal) {
  BOOST_TEST(read(directory.string()) == directory.string() + " newest");
  BOOST_TEST(read(directory.string() + "/@best") == (directory / "").string() + " best");
  BOOST_TEST(read(job + "@20") == directory.string() + " 20");
}

BOOST_AUTO_TEST_CASE(what_is_neither_is_refused) {
  BOOST_TEST((point("bset").error().code == Errc::not_found));
  BOOST_TEST(read("bset").ends_with("did you mean \"best\"?"));
  BOOST_TEST((point("@best").error().code == Errc::not_found));
  BOOST_TEST((point("").error().code == Errc::not_found));
  BOOST_TEST((point("/nowhere").error().code == Errc::not_found));
  BOOST_TEST((point(job + "@last").error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(folders_of_a_clusters_nodes_need_not_be_here) {
  BOOST_TEST(read("/nowhere/runs@best", StorePlace::cluster) == "/nowhere/runs best");
  BOOST_TEST(read(job, StorePlace::cluster) == directory.string() + " newest");
  BOOST_TEST((point("bset", StorePlace::cluster).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(what_is_not_there_or_damaged_is_found_out_before) {
  const auto check = [&](const std::string& text, const fs::path& own) {
    const Status status = check_resume_point(*point(text), own);
    return status ? Errc{} : status.error().code;
  };
  BOOST_TEST((check("20", directory) == Errc{}));
  BOOST_TEST((check(job, "/elsewhere") == Errc{}));
  BOOST_TEST((check("20", "") == Errc::not_found));
  BOOST_TEST((check("30", directory) == Errc::not_found));
  BOOST_TEST((check("best", directory) == Errc::not_found));
  {
    const auto head =
        storage::Database::open(directory / "head", storage::OpenMode::read_write).value();
    storage::Batch batch;
    batch.put(storage::Table::catalog, head->catalog(storage::part_prefix).back(), "nonsense");
    BOOST_REQUIRE(bool(head->write(batch)));
  }
  BOOST_TEST((check("20", directory) == Errc::corruption));
  BOOST_TEST((check("10", directory) == Errc{}));
  // The run passes it over and says so.
  BOOST_TEST((check(job, "/elsewhere") == Errc{}));
}

BOOST_AUTO_TEST_SUITE_END()

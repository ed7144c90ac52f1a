#include "tools/slime/report.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/record/occurrences.hpp"
#include "tests/tools/slime/record/sample_record.hpp"
#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace report_test {

struct Reporting : TempDir {
  std::string page() const { return (path() / "page.html").string(); }

  boost::test_tools::predicate_result refused(const std::string& record, int code,
                                              std::string_view part) const {
    auto result = refuses(*this, {"report", record, "--output", page()}, code, part);
    if (std::filesystem::exists(page())) result = false;
    return result;
  }
};

}  // namespace report_test

BOOST_FIXTURE_TEST_SUITE(report_test, Reporting)

// Goal: what a real run did is in its record, from the first iteration to the last, and the two
// verbs that read it agree with what the run said of itself.
BOOST_AUTO_TEST_CASE(a_run_leaves_a_record_that_is_drawn_and_compared) {
  const TinyJob job(*this);
  SlimeProcess run(*this, {"train", job.file().string(), "--json"});
  BOOST_REQUIRE(run.wait(60s).value_or(-1) == 0);
  std::vector<std::string> records;
  for (const auto& entry : std::filesystem::directory_iterator(job.checkpoints()))
    if (entry.is_regular_file()) records.push_back(entry.path().string());
  BOOST_REQUIRE(records.size() == 1u);
  BOOST_TEST(run.last_line().find(R"("record":")" + records[0] + '"') != std::string::npos);

  const auto story = tools::read_story(records[0]);
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->end.has_value());
  BOOST_TEST(story->lost == 0u);
  BOOST_TEST(!story->lost_more);
  std::uint64_t samples = 0;
  for (const auto& worker : story->totals.workers) samples += worker.samples;
  BOOST_TEST(samples == 3840u);
  BOOST_TEST(story->evaluations.size() == 6u);
  BOOST_TEST(story->decisions.size() >= 1u);

  SlimeProcess drawn(*this, {"report", records[0], "--output", page(), "--json"});
  BOOST_REQUIRE(drawn.wait(20s).value_or(-1) == 0);
  BOOST_TEST(drawn.last_line().starts_with(R"({"ok":true,"output":")"));
  BOOST_TEST(drawn.last_line().find(R"("samples":3840,)") != std::string::npos);
  BOOST_TEST(occurrences(read("page.html"), "class=\"compute\"") == 2u);
  SlimeProcess compared(*this, {"compare", records[0], records[0]});
  BOOST_REQUIRE(compared.wait(20s).value_or(-1) == 0);
  BOOST_TEST(compared.says("finished", 0s));
}

// Goal: a record that cannot be written costs the run nothing but one line.
BOOST_AUTO_TEST_CASE(a_run_goes_on_without_its_record) {
  const TinyJob job(*this);
  SlimeProcess run(*this, {"train", job.file().string(), "--json", "--record", "/dev/full"});
  BOOST_TEST(run.wait(60s).value_or(-1) == 0);
  BOOST_TEST(occurrences(run.err(), "without its record") == 1u);
  BOOST_TEST(run.last_line().find(R"("record":null)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_drawn_is_told_in_one_line_and_by_code) {
  BOOST_TEST(refused((path() / "none").string(), 4, "there is none"));
  BOOST_TEST(refused(write("text", "no record\n").string(), 9, "line 1"));
  BOOST_TEST(refused(write("bad", header_line() + "{\n").string(), 9, "line 2"));
  BOOST_TEST(refused(write("new", R"({"header":{"formatVersion":7}})"
                                  "\n")
                         .string(),
                     10, "format 7"));
  BOOST_TEST(refuses(*this, {"report"}, 2, "run"));
}

BOOST_AUTO_TEST_CASE(a_page_never_replaces_a_record) {
  const std::string record = write("record.jsonl", sample_record()).string();
  BOOST_TEST(refuses(*this, {"report", record, "--output", record}, 2, "would replace"));
  BOOST_TEST(read("record.jsonl") == sample_record());
  BOOST_TEST(refuses(*this, {"report", record, "--output", "/dev/full"}, 1,
                     "--output names another file"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/compare.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/record/sample_record.hpp"
#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

// A real run's record is compared in report_test.cpp.
BOOST_FIXTURE_TEST_SUITE(compare_test, TempDir)

BOOST_AUTO_TEST_CASE(runs_are_laid_side_by_side) {
  const std::string whole = write("whole.jsonl", sample_record("whole") + end_line(10.5)).string();
  const std::string killed = write("killed.jsonl", sample_record("killed")).string();
  SlimeProcess text(*this, {"compare", whole, killed});
  BOOST_TEST(text.wait(20s).value_or(-1) == 0);
  BOOST_TEST(text.says("whole", 0s));
  BOOST_TEST(text.says("not ended", 0s));
  SlimeProcess json(*this, {"compare", whole, killed, "--json"});
  BOOST_TEST(json.wait(20s).value_or(-1) == 0);
  BOOST_TEST(json.last_line().starts_with(R"({"ok":true,"runs":[{"file":")"));
  BOOST_TEST(json.says(R"("end":"not ended")", 0s));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_compared_is_refused) {
  const std::string one = write("one.jsonl", sample_record()).string();
  BOOST_TEST(refuses(*this, {"compare", one}, 2, "run"));
  std::vector<std::string> many(62, one);
  many[0] = "compare";
  BOOST_TEST(refuses(*this, many, 2, "61 are more than the 60"));
  many[0] = "report";
  BOOST_TEST(refuses(*this, many, 2, "61 are more than the 60"));
  BOOST_TEST(refuses(*this, {"compare", one, "/nowhere"}, 4, "/nowhere: there is none"));
  BOOST_TEST(refuses(*this, {"compare", one, write("x", "{}\n").string()}, 9, "line 1"));
}

BOOST_AUTO_TEST_SUITE_END()

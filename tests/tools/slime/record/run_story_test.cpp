#include "tools/slime/record/run_story.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string_view>

using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(run_story_test)

BOOST_AUTO_TEST_CASE(every_kind_of_incident_has_its_own_word) {
  using enum Incident::Kind;
  std::set<std::string_view> words;
  for (const auto kind : {started, joined, gone, rolled_back, checkpoint, gap})
    words.insert(to_string(kind));
  BOOST_TEST(words.size() == 6u);
  BOOST_TEST(!words.contains("unknown"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/chaos/simulated/planted_bugs.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "actors/training/types.hpp"

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(planted_bugs_test)

// That each is found `seed_run_test` shows.
BOOST_AUTO_TEST_CASE(each_has_a_name_and_leaves_all_types_there) {
  std::set<std::string_view> names;
  const auto usual = actors::training_types();
  for (const PlantedBug& bug : planted_bugs()) {
    BOOST_TEST(names.insert(bug.name).second);
    BOOST_TEST(!bug.doc.empty());
    const auto types = bug.under(actors::training_types());
    BOOST_REQUIRE(types.size() == usual.size());
    for (std::size_t i = 0; i < types.size(); ++i) BOOST_TEST(types[i].name == usual[i].name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

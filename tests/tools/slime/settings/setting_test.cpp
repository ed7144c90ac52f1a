#include "tools/slime/settings/setting.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "schemas/job.capnp.h"
#include "tools/slime/settings/interval.hpp"

using namespace slime;
using namespace slime::tools;

namespace setting_test {

const capnp::StructSchema job = capnp::Schema::from<schema::JobSpec>();

bool is_real(capnp::Type type) {
  return type.isFloat64() || (type.isList() && is_real(type.asList().getElementType()));
}

}  // namespace setting_test

BOOST_AUTO_TEST_SUITE(setting_test)

BOOST_AUTO_TEST_CASE(names_in_files_are_snake_case_and_dotted) {
  BOOST_TEST(snake_case("stalenessMax") == "staleness_max");
  BOOST_TEST(snake_case("name") == "name");
  const auto setting =
      find_setting(capnp::Schema::from<schema::Sync>(), "sync.", "staleness_max").value();
  BOOST_TEST(setting.name == "sync.staleness_max");
  BOOST_TEST(setting.key() == "staleness_max");
  BOOST_TEST(setting.variable() == "SLIME_SYNC_STALENESS_MAX");
  BOOST_TEST(setting.range == "[0, 1000]");
  BOOST_TEST(!find_setting(job, "", "stalenessMax"));
}

BOOST_AUTO_TEST_CASE(values_come_before_tables) {
  std::string table;
  std::set<std::string> closed;
  for (const Setting& setting : all_settings(job)) {
    const std::string here = setting.name.substr(0, setting.name.size() - setting.key().size());
    if (here != table) BOOST_TEST(closed.insert(here).second, setting.name);
    table = here;
    BOOST_TEST(!setting.is_group());
  }
  BOOST_TEST(all_settings(job).front().name == "name");
}

// The schema is the only table of options, so it has to explain every one.
BOOST_AUTO_TEST_CASE(every_setting_is_documented_and_bounded) {
  std::set<std::string> variables;
  const auto check = [&](const Setting& setting) {
    BOOST_TEST(!setting.doc.empty(), setting.name);
    const auto range = Interval::parse(setting.range);
    if (!setting.range.empty()) BOOST_TEST(bool(range), setting.name);
    if (range) BOOST_TEST(std::isfinite(range->high), setting.name);
    if (is_real(setting.field.getType())) BOOST_TEST(bool(range), setting.name);
    BOOST_TEST(variables.insert(setting.variable()).second, setting.variable());
  };
  for (const Setting& setting : all_settings(job)) {
    check(setting);
    const capnp::Type type = setting.field.getType();
    if (type.isEnum())
      for (const auto enumerant : type.asEnum().getEnumerants())
        BOOST_TEST(!doc_of(enumerant.getProto()).empty(), setting.name);
    if (type.isList() && type.asList().getElementType().isStruct())
      for (const Setting& part :
           settings_of(type.asList().getStructElementType(), setting.name + "."))
        check(part);
  }
}

BOOST_AUTO_TEST_SUITE_END()

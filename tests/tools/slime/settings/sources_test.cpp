#include "tools/slime/settings/sources.hpp"

#include <capnp/message.h>

#include <boost/test/unit_test.hpp>

#include "schemas/scenario.capnp.h"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;

namespace sources_test {

constexpr FileKind kind{"scenario", "a run"};

struct Target : tests::TempDir {
  Settings settings() { return capnp::toDynamic(scenario); }

  capnp::MallocMessageBuilder message;
  schema::Scenario::Builder scenario = message.initRoot<schema::Scenario>();
  Origins origins;
};

}  // namespace sources_test

BOOST_FIXTURE_TEST_SUITE(sources_test, Target)

// Goal: any table of settings is read like that of a job.
BOOST_AUTO_TEST_CASE(a_file_and_a_flag_set_values_and_say_where) {
  const auto file = write("a.toml", "workers = 4\n[link]\nloss = 0.5\n[[runs]]\nmode = \"asp\"\n");
  BOOST_TEST(bool(apply_file(settings(), file, kind, origins)));
  BOOST_TEST(bool(apply_set(settings(), "link.loss=0.25", origins)));
  BOOST_TEST(scenario.getWorkers() == 4U);
  BOOST_TEST(scenario.getLink().getLoss() == 0.25);
  BOOST_TEST(scenario.getRuns()[0].getMode().cStr() == "asp");
  BOOST_TEST(position(origins.at("workers")) == file.string() + ":1:11");
  BOOST_TEST(position(origins.at("link.loss")) == "--set");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_set_is_named_with_its_place) {
  const auto says = [](const Status& status, std::string_view text) {
    return !status && status.error().code == Errc::invalid_argument &&
           status.error().context.find(text) != std::string::npos;
  };
  BOOST_TEST(
      says(apply_file(settings(), write("b.toml", ""), kind, origins), "reading scenario file"));
  BOOST_TEST(says(apply_file(settings(), write("c.toml", "wrokers = 2\n"), kind, origins),
                  "c.toml:1:1: there is no setting \"wrokers\"; did you mean \"workers\"?"));
  BOOST_TEST(says(apply_set(settings(), "workers", origins), "NAME=VALUE is wanted"));
  BOOST_TEST(says(apply_set(settings(), "workers=nan", origins), "workers must be"));
  BOOST_TEST(says(
      assign_text(settings(), "name.first", "x", {Origin::Source::environment, "X", 0, 0}, origins),
      "X: name has no parts"));
}

BOOST_AUTO_TEST_SUITE_END()

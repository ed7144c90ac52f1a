#include "tools/slime/settings/assign.hpp"

#include <capnp/message.h>

#include <boost/test/unit_test.hpp>

#include "schemas/job.capnp.h"

using namespace slime;
using namespace slime::tools;

namespace assign_test {

struct Target {
  /// The outcome of writing a TOML text into a job; empty: it went well.
  std::string write(std::string_view text) {
    Assigner assigner(capnp::Schema::from<schema::JobSpec>(),
                      {Origin::Source::file, "job.toml", 0, 0}, origins);
    const Status done =
        assigner.table(capnp::toDynamic(job), toml::parse(text, std::string_view("job.toml")), "");
    return done ? "" : done.error().context;
  }

  capnp::MallocMessageBuilder message;
  schema::JobSpec::Builder job = message.initRoot<schema::JobSpec>();
  Origins origins;
};

}  // namespace assign_test

BOOST_FIXTURE_TEST_SUITE(assign_test, Target)

BOOST_AUTO_TEST_CASE(values_of_every_kind_are_written_with_their_origin) {
  BOOST_TEST(write("name = \"x\"\nworkers = 3\nreduction = \"reproducible\"\n"
                   "target_accuracies = [0.5, 1]\n[sync]\ndamping = false\n"
                   "[[emulate.stalls]]\nworker = 2\nat_seconds = 1.5\n") == "");
  BOOST_TEST(job.getName().cStr() == "x");
  BOOST_TEST(job.getWorkers() == 3U);
  BOOST_TEST((job.getReduction() == schema::Reduction::REPRODUCIBLE));
  BOOST_TEST(job.getTargetAccuracies()[1] == 1.0);
  BOOST_TEST(!job.getSync().getDamping());
  BOOST_TEST(job.getEmulate().getStalls()[0].getAtSeconds() == 1.5);
  BOOST_TEST(position(origins.at("workers")) == "job.toml:2:11");
  BOOST_TEST(position(origins.at("sync.damping")) == "job.toml:6:11");
  // Of a list as a whole, not of what its elements hold.
  BOOST_TEST(origins.count("emulate.stalls") == 1U);
  BOOST_TEST(origins.count("emulate.stalls.worker") == 0U);
}

BOOST_AUTO_TEST_CASE(the_first_mistake_is_told_with_its_place) {
  BOOST_TEST(write("workers = 2\nbatch = \"many\"\nblock = false\n").find("job.toml:2:9: batch") ==
             0U);
  BOOST_TEST(write("workers = -1\n").find("job.toml:1:11: workers must be") == 0U);
  BOOST_TEST(write("workers = 0\n").find("in [1, 10000]") != std::string::npos);
  BOOST_TEST(write("sync = 3\n").find("sync must be a table") != std::string::npos);
  BOOST_TEST(write("seed = 1.5\n").find("a whole number") != std::string::npos);
  BOOST_TEST(write("reduction = \"fst\"\n").find("did you mean \"fast\"?") != std::string::npos);
  BOOST_TEST(write("wrokers = 1\n").find("did you mean \"workers\"?") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

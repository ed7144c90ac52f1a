#include "tools/slime/settings/show.hpp"

#include <capnp/compat/json.h>
#include <boost/test/unit_test.hpp>

#include "schemas/job.capnp.h"
#include "tests/support/temp_dir.hpp"
#include "tools/slime/settings/setting.hpp"

using namespace slime;
using namespace slime::tools;

namespace show_test {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace show_test

BOOST_FIXTURE_TEST_SUITE(show_test, tests::TempDir)

BOOST_AUTO_TEST_CASE(what_is_shown_reads_back_to_the_same_settings) {
  const std::vector<std::string> sets{
      "name=\"a \\\" b\\n\\u00b5\"",  "seed=9223372036854775807",
      "optimizer.learning_rate=1e-7", "emulate.stalls=[{worker=1, at_seconds=2}, {worker=0}]",
      "target_accuracies=[0.1, 1]",   "reduction=reproducible"};
  const JobSettings first = read_settings({std::nullopt, Environment(), sets}).value();
  const auto file = write("shown.toml", show_toml(first, true));
  const JobSettings second = read_settings({file, Environment(), {}}).value();
  BOOST_TEST(show_toml(first, false) == show_toml(second, false));
  second.job.read([](schema::JobSpec::Reader job) {
    BOOST_TEST((job.getName() == "a \" b\n\u00b5"));
    BOOST_TEST(job.getOptimizer().getLearningRate() == 1e-7);
    BOOST_TEST(job.getEmulate().getStalls()[0].getAtSeconds() == 2.0);
  });
}

BOOST_AUTO_TEST_CASE(origins_stand_beside_the_values) {
  const std::vector<std::string> sets{"workers=3"};
  const auto file = write("job.toml", "name = \"x\"\n\nbatch = 64\n");
  const JobSettings settings =
      read_settings({file, Environment{{"SLIME_SHARDS", "2"}}, sets}).value();
  const std::string text = show_toml(settings, true);
  BOOST_TEST(has(text, "\nworkers = 3  # flag --set workers\n"));
  BOOST_TEST(has(text, "\nshards = 2  # environment SLIME_SHARDS\n"));
  BOOST_TEST(has(text, "\nbatch = 64  # " + file.string() + ":3\n"));
  BOOST_TEST(has(text, "\nepochs = 1  # default\n"));
  BOOST_TEST(has(text, "# \"reproducible\": 64-bit fixed-point sums"));
  BOOST_TEST(!has(show_toml(settings, false), "# default"));
}

BOOST_AUTO_TEST_CASE(json_has_every_setting_once_and_is_one_valid_line) {
  const JobSettings settings = read_settings({std::nullopt, Environment(), {}}).value();
  const std::string text = show_json(settings);
  BOOST_TEST(!has(text, "\n"));
  capnp::MallocMessageBuilder message;
  const auto root = message.initRoot<capnp::JsonValue>();
  capnp::JsonCodec().decodeRaw(kj::arrayPtr(text.data(), text.size()), root);
  const auto list = root.asReader().getObject()[1].getValue().getArray();
  BOOST_TEST(list.size() == all_settings(capnp::Schema::from<schema::JobSpec>()).size());
  BOOST_TEST(
      has(text, R"({"name":"sync.mode","value":"bsp","origin":{"source":"default"},"doc":)"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/settings/job_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;

namespace job_settings_test {

struct JobFile : tests::TempDir {
  Environment environment;
  std::vector<std::string> sets;

  Result<JobSettings> from(std::string_view text) {
    return read_settings({write("job.toml", text), environment, sets});
  }
  Result<JobSettings> from_flags() { return read_settings({std::nullopt, environment, sets}); }

  /// Whether reading fails and the message has `text` in it.
  bool refuses(const Result<JobSettings>& result, std::string_view text) {
    if (result) return false;
    BOOST_TEST_MESSAGE(result.error().context);
    return result.error().code == Errc::invalid_argument &&
           result.error().context.find(text) != std::string::npos;
  }
};

template <class Use>
auto get(const Result<JobSettings>& settings, Use use) {
  return settings.value().job.read(use);
}

using Job = schema::JobSpec::Reader;

}  // namespace job_settings_test

BOOST_FIXTURE_TEST_SUITE(job_settings_test, JobFile)

BOOST_AUTO_TEST_CASE(every_kind_of_value_lands_in_its_field) {
  const auto settings = from(R"(
name = "mnist"
workers = 4
seed = 9223372036854775807
reduction = "reproducible"
target_accuracies = [0.8, 1]
[sync]
mode = "a_dsp"
damping = false
[model]
layers = ["dense 512 relu", "dense 10"]
[emulate]
sample_us = 10
[[emulate.stalls]]
worker = 1
at_seconds = 5
[[emulate.stalls]]
worker = 3
for_seconds = 2.5
)");
  get(settings, [](Job job) {
    BOOST_TEST((job.getName() == "mnist"));
    BOOST_TEST(job.getWorkers() == 4u);
    BOOST_TEST(job.getSeed() == 9223372036854775807u);
    BOOST_TEST((job.getReduction() == schema::Reduction::REPRODUCIBLE));
    BOOST_TEST(job.getTargetAccuracies().size() == 2u);
    BOOST_TEST(job.getTargetAccuracies()[1] == 1.0);
    BOOST_TEST((job.getSync().getMode() == "a_dsp"));
    BOOST_TEST(!job.getSync().getDamping());
    BOOST_TEST((job.getModel().getLayers()[1] == "dense 10"));
    BOOST_TEST(job.getEmulate().getSampleUs() == 10.0);
    BOOST_TEST(job.getEmulate().getStalls()[0].getAtSeconds() == 5.0);
    BOOST_TEST(job.getEmulate().getStalls()[1].getForSeconds() == 2.5);
    // Untouched ones keep the schema's default.
    BOOST_TEST(job.getBatch() == 256u);
    BOOST_TEST((job.getBalance().getPolicy() == "adapt_fr"));
  });
}

BOOST_AUTO_TEST_CASE(a_flag_wins_over_a_variable_over_the_file_over_the_default) {
  environment = {{"SLIME_EPOCHS", "3"}, {"SLIME_BATCH", "32"}, {"SLIME_SYNC_MODE", "a_dsp"}};
  sets = {"batch=64", "sync.mode=bsp", "batch=128"};
  const auto settings = from("workers = 2\nepochs = 2\nbatch = 16\n");
  get(settings, [](Job job) {
    BOOST_TEST(job.getWorkers() == 2u);
    BOOST_TEST(job.getEpochs() == 3u);
    BOOST_TEST(job.getBatch() == 128u);
    BOOST_TEST((job.getSync().getMode() == "bsp"));
  });
  const Origins& origins = settings->origins;
  BOOST_TEST(to_string(origins.at("workers")) == (path() / "job.toml").string() + ":1");
  BOOST_TEST(to_string(origins.at("epochs")) == "environment SLIME_EPOCHS");
  BOOST_TEST(to_string(origins.at("batch")) == "flag --set batch");
  BOOST_TEST(to_string(origins.at("sync.mode")) == "flag --set sync.mode");
  BOOST_TEST(!origins.contains("shards"));
}

BOOST_AUTO_TEST_CASE(flags_take_toml_values_and_bare_texts) {
  sets = {"target_accuracies=[0.8]",
          "name=m-1",
          "model.layers=[\"dense 10\"]",
          "reduction=reproducible",
          "data.format=\"idx\"",
          "emulate.stalls=[{worker=2}]",
          "optimizer={momentum=0.9, kind=\"sgd\"}"};
  const auto settings = from_flags();
  get(settings, [](Job job) {
    BOOST_TEST(job.getTargetAccuracies()[0] == 0.8);
    BOOST_TEST((job.getName() == "m-1"));
    BOOST_TEST((job.getModel().getLayers()[0] == "dense 10"));
    BOOST_TEST((job.getReduction() == schema::Reduction::REPRODUCIBLE));
    BOOST_TEST((job.getData().getFormat() == "idx"));
    BOOST_TEST(job.getEmulate().getStalls()[0].getWorker() == 2u);
    BOOST_TEST(job.getOptimizer().getMomentum() == 0.9);
  });
  BOOST_TEST(to_string(settings->origins.at("optimizer.momentum")) == "flag --set optimizer");
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_refused_with_its_place_and_the_nearest_name) {
  BOOST_TEST(refuses(from("name = \"x\"\nwrokers = 2\n"),
                     "job.toml:2:1: there is no setting \"wrokers\"; did you mean \"workers\"?"));
  BOOST_TEST(
      refuses(from("[sync]\n  mod = \"bsp\"\n"),
              "job.toml:2:3: there is no setting \"sync.mod\"; did you mean \"sync.mode\"?"));
  // Right word, wrong table.
  BOOST_TEST(refuses(from("mode = \"bsp\"\n"), "did you mean \"sync.mode\"?"));
  BOOST_TEST(
      refuses(from("[[emulate.stalls]]\nwroker = 1\n"), "did you mean \"emulate.stalls.worker\"?"));
  BOOST_TEST(refuses(from("learningRate = 1\n"), "learningRate"));
  sets = {"sync.mode.x=1"};
  BOOST_TEST(refuses(from_flags(), "--set: sync.mode has no parts"));
}

BOOST_AUTO_TEST_CASE(the_first_mistake_of_a_file_comes_first) {
  BOOST_TEST(refuses(from("zebra = 1\nworkers = \"a\"\nape = 2\n"), "job.toml:1:1"));
}

BOOST_AUTO_TEST_CASE(a_wrong_type_is_refused_with_what_was_expected_and_found) {
  BOOST_TEST(refuses(from("\nworkers = \"four\"\n"),
                     "job.toml:2:11: workers must be a whole number; found the text \"four\""));
  BOOST_TEST(refuses(from("workers = 2.0\n"), "a whole number; found the number 2.0"));
  BOOST_TEST(refuses(from("name = 1\n"), "name must be a text in quotes; found the number 1"));
  BOOST_TEST(refuses(from("name = \"a\\u0000b\"\n"), "NUL"));
  BOOST_TEST(refuses(from("sync = 1\n"), "sync must be a table; found the number 1"));
  BOOST_TEST(refuses(from("[sync]\ndamping = 1\n"), "sync.damping must be true or false"));
  BOOST_TEST(refuses(from("target_accuracies = 0.8\n"), "must be an array of numbers"));
  BOOST_TEST(refuses(from("target_accuracies = [0.8, \"x\"]\n"), "job.toml:1:27"));
  BOOST_TEST(refuses(from("[emulate]\nstalls = [1]\n"), "must be an array of tables"));
  BOOST_TEST(refuses(from("[optimizer]\nlearning_rate = nan\n"), "a finite number"));
  BOOST_TEST(
      refuses(from("reduction = \"fst\"\n"), "one of fast, reproducible; found \"fst\"; did"));
  BOOST_TEST(refuses(from("workers = 2020-01-01\n"), "found a date or time"));
}

BOOST_AUTO_TEST_CASE(a_number_outside_its_width_or_range_is_refused) {
  BOOST_TEST(refuses(from("batch = 4294967296\n"), "from 0 to 4294967295"));
  BOOST_TEST(refuses(from("batch = -1\n"), "from 0 to 4294967295"));
  BOOST_TEST(refuses(from("workers = 0\n"), "workers must be in [1, 10000]; found the number 0"));
  BOOST_TEST(refuses(from("[optimizer]\nmomentum = 1\n"), "must be in [0, 1)"));
  BOOST_TEST(refuses(from("target_accuracies = [85]\n"), "must be in (0, 1]"));
  BOOST_TEST(bool(from("batch = 4294967295\n")));
}

BOOST_AUTO_TEST_CASE(a_flag_that_cannot_be_read_is_refused) {
  for (const char* set : {"workers", "=2", "", "workers=[1", "workers=1\nshards=2", "workers=two",
                          "workers=", ".=1", "sync.=1", "seed=99999999999999999999"}) {
    sets = {set};
    BOOST_TEST(refuses(from_flags(), "--set"), set);
  }
}

BOOST_AUTO_TEST_CASE(a_misspelt_variable_is_refused_and_a_foreign_one_is_not) {
  environment = {{"SLIME_WORKER", "3"}};
  BOOST_TEST(refuses(from_flags(), "did you mean SLIME_WORKERS?"));
  environment = {{"SLIME_PORT", "tcp://10.0.0.1:80"},
                 {"SLIME_SERVICE_HOST", "10.0.0.1"},
                 {"SLIME_BATCH", ""},
                 {"WORKERS", "7"}};
  const auto settings = from_flags();
  get(settings, [](Job job) { BOOST_TEST(job.getBatch() == 256u); });
  environment = {{"SLIME_WORKERS", "many"}};
  BOOST_TEST(refuses(from_flags(), "SLIME_WORKERS: workers must be a whole number"));
}

BOOST_AUTO_TEST_CASE(load_job_refuses_what_reads_well_but_makes_no_job) {
  const std::vector<std::string_view> words{"x"};
  const auto job = load_job({write("job.toml", "workers = 2\n"), environment, sets},
                            {words, words, words, words, words});
  BOOST_TEST(refuses(job, "name: the job needs a name"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/settings/job_rules.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/support/temp_dir.hpp"
#include "tools/slime/settings/job_settings.hpp"

using namespace slime;
using namespace slime::tools;

namespace job_rules_test {

const std::vector<std::string_view> modes = {"bsp", "dssp", "a_dsp"};
const std::vector<std::string_view> policies = {"equal", "adapt_fr", "fixed", "flex_rr", "oracle"};
const std::vector<std::string_view> optimizers = {"sgd"};
const std::vector<std::string_view> formats = {"idx"};
const std::vector<std::string_view> layers = {"dense"};

constexpr std::string_view sound_job = R"(name = "mnist"
workers = 4
[model]
layers = ["dense 32 relu", "dense 10"]
[data]
train = ["images", "labels"]
test = ["images", "labels"]
)";

struct SoundJob : tests::TempDir {
  /// Outcome of the rules for a sound job with these changes; empty: it is still sound.
  std::string with(const std::vector<std::string>& sets) {
    const auto job = load_job({write("job.toml", sound_job), Environment(), sets},
                              {modes, policies, optimizers, formats, layers});
    return job ? "" : job.error().context;
  }
  bool breaks(const std::vector<std::string>& sets, std::string_view why) {
    const std::string error = with(sets);
    BOOST_TEST_MESSAGE(error);
    return error.find(why) != std::string::npos;
  }
};

}  // namespace job_rules_test

BOOST_FIXTURE_TEST_SUITE(job_rules_test, SoundJob)

BOOST_AUTO_TEST_CASE(a_sound_job_passes) {
  BOOST_TEST(with({}) == "");
  BOOST_TEST(with({"sync.mode=a_dsp"}) == "");
  BOOST_TEST(with({"balance.policy=equal"}) == "");
  BOOST_TEST(with({"checkpoint.directory=c", "checkpoint.every_seconds=1"}) == "");
  BOOST_TEST(with({"emulate.sample_us=5", "emulate.speeds=[1,1,1,0.5]", "emulate.noise=0.1",
                   "emulate.stalls=[{worker=3}]"}) == "");
}

BOOST_AUTO_TEST_CASE(the_name_can_name_a_file) {
  BOOST_TEST(breaks({"name="}, "name: the job needs a name"));
  BOOST_TEST(breaks({"name=../x"}, "it names files"));
  BOOST_TEST(breaks({"name=.x"}, "it names files"));
  BOOST_TEST(breaks({"name=" + std::string(65, 'a')}, "it names files"));
}

BOOST_AUTO_TEST_CASE(a_batch_is_whole_blocks) {
  BOOST_TEST(breaks({"batch=100"},
                    "--set: batch: it must be a multiple of block, which is "
                    "16; found 100: use 96"));
  BOOST_TEST(breaks({"batch=8"}, "found 8: use 16"));
  BOOST_TEST(with({"batch=100", "block=10"}) == "");
}

BOOST_AUTO_TEST_CASE(a_job_has_few_targets) {
  const auto targets = [](int count) {
    std::string list = "target_accuracies=[0.5";
    for (int i = 1; i < count; ++i) list += ", 0." + std::to_string(100 + i);
    return list + "]";
  };
  BOOST_TEST(with({targets(16)}) == "");
  BOOST_TEST(breaks({targets(17)}, "target_accuracies: at most 16 can be reported; found 17"));
}

BOOST_AUTO_TEST_CASE(unknown_words_are_refused_with_the_nearest_one) {
  BOOST_TEST(breaks({"sync.mode=bps"}, "sync.mode: \"bps\" is unknown; did you mean \"bsp\"?"));
  BOOST_TEST(breaks({"balance.policy=equl"}, "did you mean \"equal\"?"));
  BOOST_TEST(breaks({"optimizer.kind=adam"}, "known are sgd"));
  BOOST_TEST(breaks({"data.format=idz"}, "did you mean \"idx\"?"));
  BOOST_TEST(breaks({"model.layers=[\"dens 10\"]"}, "did you mean \"dense\"?"));
  BOOST_TEST(breaks({"model.layers=[\"\"]"}, "\"\" is unknown"));
}

BOOST_AUTO_TEST_CASE(a_dsp_means_adapt_fr) {
  BOOST_TEST(breaks({"sync.mode=a_dsp", "balance.policy=equal"}, "mode a_dsp means adapt_fr"));
}

BOOST_AUTO_TEST_CASE(the_thresholds_of_dssp_are_a_range) {
  BOOST_TEST(breaks({"sync.mode=dssp", "sync.staleness_min=4"},
                    "dssp chooses between it and sync.staleness_max, which is 3; found 4"));
  BOOST_TEST(with({"sync.mode=dssp", "sync.staleness_min=3"}) == "");
  BOOST_TEST(with({"sync.mode=bsp", "sync.staleness_min=4"}) == "");
}

BOOST_AUTO_TEST_CASE(a_policy_has_what_it_works_with) {
  BOOST_TEST(breaks({"balance.policy=fixed", "balance.fixed_shares=[1, 2]"},
                    "one share for each of the 4 workers is wanted, or none; found 2"));
  BOOST_TEST(breaks({"balance.fixed_shares=[1, 2, 3, 4]"}, "only policy \"fixed\" looks at it"));
  BOOST_TEST(with({"balance.policy=fixed", "balance.fixed_shares=[7, 1, 1, 0]"}) == "");
  BOOST_TEST(with({"balance.policy=fixed"}) == "");
  BOOST_TEST(breaks({"balance.policy=oracle"}, "set emulate.sample_us"));
  BOOST_TEST(with({"balance.policy=oracle", "emulate.sample_us=5"}) == "");
  BOOST_TEST(breaks({"balance.policy=flex_rr", "balance.fast_reassignment=false"},
                    "flex_rr is equal shares without it"));
  BOOST_TEST(with({"balance.policy=flex_rr"}) == "");
}

BOOST_AUTO_TEST_CASE(layers_and_both_pairs_of_files_are_needed) {
  BOOST_TEST(breaks({"model.layers=[]"}, "the model needs layers"));
  BOOST_TEST(breaks({"data.train=[\"a\"]"}, "data.train: two files are wanted"));
  BOOST_TEST(breaks({"data.test=[]"}, "data.test: two files are wanted"));
  BOOST_TEST(breaks({"data.test=[\"a\", \"\"]"}, "a file name is empty"));
}

BOOST_AUTO_TEST_CASE(checkpoints_need_a_folder) {
  BOOST_TEST(
      breaks({"checkpoint.every_iterations=5"}, "checkpoint.every_iterations: checkpoints need"));
  BOOST_TEST(breaks({"checkpoint.every_seconds=5"}, "checkpoint.every_seconds: checkpoints need"));
  BOOST_TEST(breaks({"checkpoint.interval=computed"}, "checkpoint.interval: checkpoints need"));
  BOOST_TEST(breaks({"checkpoint.copy_to=c"}, "checkpoint.copy_to: checkpoints need"));
  BOOST_TEST(breaks({"checkpoint.directory=c", "checkpoint.copy_to=c"}, "name another folder"));
  BOOST_TEST(with({"checkpoint.directory=c", "checkpoint.copy_to=d"}) == "");
  // Said to be none, whatever the file has for those that are written.
  BOOST_TEST(with({"checkpoint.every_iterations=5", "checkpoint.directory="}) == "");
}

BOOST_AUTO_TEST_CASE(the_interval_of_checkpoints_is_fixed_or_computed) {
  const std::vector<std::string> computed{"checkpoint.directory=c", "checkpoint.interval=computed"};
  const auto and_also = [&](const std::string& setting) {
    auto sets = computed;
    sets.push_back(setting);
    return sets;
  };
  BOOST_TEST(with(computed) == "");
  BOOST_TEST(with(and_also("checkpoint.overhead_max=0.1")) == "");
  BOOST_TEST(with(and_also("checkpoint.seconds_between_failures=3600")) == "");
  BOOST_TEST(breaks(and_also("checkpoint.every_iterations=5"),
                    "checkpoint.every_iterations: checkpoint.interval = \"computed\" says when"));
  BOOST_TEST(breaks(and_also("checkpoint.every_seconds=5"), "leave one of them out"));
  BOOST_TEST(breaks(and_also("checkpoint.overhead_max=0.9"), "checkpoint.overhead_max"));
  BOOST_TEST(breaks({"checkpoint.directory=c", "checkpoint.overhead_max=0.1"},
                    "only checkpoint.interval = \"computed\" looks at it"));
  BOOST_TEST(breaks({"checkpoint.seconds_between_failures=9"}, "looks at it"));
}

BOOST_AUTO_TEST_CASE(emulation_fits_the_workers_and_has_an_effect) {
  BOOST_TEST(breaks({"emulate.sample_us=5", "emulate.speeds=[1, 1]"},
                    "one speed for each of the 4 workers is wanted, or none; found 2"));
  BOOST_TEST(breaks({"emulate.speeds=[1, 1, 1, 1]"}, "no effect while emulate.sample_us is 0"));
  BOOST_TEST(breaks({"emulate.noise=1"}, "no effect"));
  BOOST_TEST(breaks({"emulate.sample_us=5", "emulate.stalls=[{worker=4}]"},
                    "emulate.stalls: worker 4 does not exist: workers count from 0 to 3"));
  BOOST_TEST(breaks({"emulate.sample_us=5", "emulate.changes=[{worker=9, speed=1}]"},
                    "worker 9 does not exist"));
  // A change to speed 0 would stop the worker for ever; 0 is what an absent speed reads as.
  BOOST_TEST(breaks({"emulate.sample_us=5", "emulate.changes=[{worker=1}]"}, "speed"));
}

BOOST_AUTO_TEST_CASE(a_broken_rule_names_the_line_that_broke_it) {
  const auto job = load_job({write("bad.toml", "name = \"x\"\nbatch = 17\n"), Environment(), {}},
                            {modes, policies, optimizers, formats, layers});
  BOOST_TEST(job.error().context.find("bad.toml:2:9: batch:") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

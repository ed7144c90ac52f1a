#include "tools/slime/config_show.hpp"

#include <boost/test/unit_test.hpp>
#include <string_view>

#include "tests/tools/slime/run_slime.hpp"

using namespace slime::tests;

namespace config_show_test {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}
bool is_one_line(const std::string& text) {
  return text.find('\n') + 1 == text.size();
}

}  // namespace config_show_test

BOOST_FIXTURE_TEST_SUITE(config_show_test, TempDir)

BOOST_AUTO_TEST_CASE(config_show_tells_every_origin) {
  const auto job = write("job.toml",
                         "name = \"x\"\nworkers = 2\n[model]\nlayers = [\"dense 10\"]\n"
                         "[data]\ntrain = [\"a\", \"b\"]\ntest = [\"c\", \"d\"]\n");
  const Outcome shown =
      run_slime("config show --origin " + job.string() + " --set batch=64", "SLIME_EPOCHS=3");
  BOOST_TEST(shown.code == 0);
  BOOST_TEST(shown.err == "");
  BOOST_TEST(has(shown.out, "\nworkers = 2  # " + job.string() + ":2\n"));
  BOOST_TEST(has(shown.out, "\nbatch = 64  # flag --set batch\n"));
  BOOST_TEST(has(shown.out, "\nepochs = 3  # environment SLIME_EPOCHS\n"));
  BOOST_TEST(has(shown.out, "\nseed = 1  # default\n"));
}

BOOST_AUTO_TEST_CASE(a_bad_job_file_is_refused_in_one_line) {
  const auto refused = [](const std::string& file, std::string_view why, int code = 2) {
    const Outcome outcome = run_slime("config show " + file);
    BOOST_TEST_MESSAGE(outcome.err);
    return outcome.code == code && is_one_line(outcome.err) && has(outcome.err, why);
  };
  BOOST_TEST(refused((path() / "absent.toml").string(), "absent.toml: there is no such file", 4));
  BOOST_TEST(refused(write("a.toml", "wrokers = 2\n").string(), "a.toml:1:1: there is no setting"));
  BOOST_TEST(
      refused(write("b.toml", "workers = \"2\"\n").string(), "b.toml:1:11: workers must be"));
  BOOST_TEST(refused(write("c.toml", "workers = 2\nworkers = 3\n").string(), "c.toml:2:"));
  BOOST_TEST(refused(write("d.toml", "").string(), "it is empty"));
  BOOST_TEST(refused(write("e.toml", "batch = 17\n").string(), "name: the job needs a name"));
}

BOOST_AUTO_TEST_CASE(a_script_gets_an_error_as_json_too) {
  const Outcome outcome = run_slime("config show --json nowhere.toml");
  BOOST_TEST(outcome.code == 4);
  BOOST_TEST(has(outcome.out, "{\"ok\":false,\"error\":\"not_found\",\"exit_code\":4,"));
  BOOST_TEST(is_one_line(outcome.out));
}

BOOST_AUTO_TEST_SUITE_END()

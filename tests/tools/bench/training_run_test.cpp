#include "tools/bench/training_run.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::bench;

namespace training_run_test {

Result<TrainingResult> run(
    const std::string& script, const std::function<void(pid_t)>& meanwhile = [](pid_t) {}) {
  return run_training({"/bin/sh", "-c", script}, std::chrono::seconds(20), meanwhile);
}

const std::string good =
    R"({"ok":true,"seconds":12.5,"test_accuracy":0.87,"time_to_accuracy":{"0.85":3.5},)"
    R"("makespan_ratio":1.25})";

}  // namespace training_run_test

BOOST_AUTO_TEST_SUITE(training_run_test)

BOOST_AUTO_TEST_CASE(the_last_line_tells_how_a_run_ended) {
  const auto result = run("echo text >&2; echo '{\"iteration\":1}'; echo '" + good + "'").value();
  BOOST_TEST(result.seconds == 12.5);
  BOOST_TEST(result.accuracy == 0.87);
  BOOST_TEST(result.to_target.value() == 3.5);
  BOOST_TEST(result.makespan_ratio.value() == 1.25);
}

BOOST_AUTO_TEST_CASE(what_a_run_did_not_reach_is_absent) {
  const auto result =
      parse_result(R"({"ok":true,"seconds":1,"test_accuracy":0.5,"time_to_accuracy":{"0.85":null},)"
                   R"("makespan_ratio":null})");
  BOOST_REQUIRE(bool(result));
  BOOST_TEST(!result->to_target);
  BOOST_TEST(!result->makespan_ratio);
  BOOST_TEST(!parse_result(R"({"ok":true,"seconds":1,"test_accuracy":1})").value().to_target);
}

BOOST_AUTO_TEST_CASE(a_line_that_is_no_result_is_an_error) {
  for (const char* line : {"", "{", "[1]", "7", "{\"ok\":false}", "{\"ok\":1}", "{\"ok\":true}",
                           "{\"ok\":true,\"seconds\":\"1\",\"test_accuracy\":1}"})
    BOOST_TEST(!parse_result(line), line);
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_says_what_it_said) {
  const auto result = run("echo no such file >&2; exit 4");
  BOOST_REQUIRE(!result);
  BOOST_TEST(result.error().context.find("exit code 4: no such file") != std::string::npos);
  BOOST_TEST(!run_training({"/no/such/program"}, std::chrono::seconds(20), [](pid_t) {}));
}

BOOST_AUTO_TEST_CASE(a_run_that_does_not_end_is_killed) {
  const auto result = run_training({"/bin/sh", "-c", "echo still here; exec sleep 1000"},
                                   std::chrono::milliseconds(300), [](pid_t) {});
  BOOST_REQUIRE(!result);
  BOOST_TEST((result.error().code == Errc::timeout));
  BOOST_TEST(result.error().context.find("still here") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_running_programs_children_are_found_by_an_argument) {
  std::optional<pid_t> found;
  bool unknown_found = false;
  // The shell's child lives until the test has seen it.
  const auto result = run("echo begun; sleep 0.7 & wait; echo '" + good + "'", [&](pid_t pid) {
    if (!found) found = find_child(pid, "0.7");
    unknown_found = unknown_found || find_child(pid, "worker-9");
  });
  BOOST_TEST(bool(result));
  BOOST_REQUIRE(bool(found));
  BOOST_TEST(*found != ::getpid());
  BOOST_TEST(!unknown_found);
}

BOOST_AUTO_TEST_SUITE_END()

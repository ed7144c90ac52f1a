#include "tools/slime/local_run.hpp"

#include <poll.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "tests/cluster/slime_process.hpp"
#include "tests/support/build_places.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace local_run_test {

struct Local : TempDir {
  const Environment environment{{"XDG_RUNTIME_DIR", path().string()}};

  Result<std::unique_ptr<LocalRun>> start(const std::string& program,
                                          runtime::RestartLimits restart = {}) {
    LocalRun::Settings settings;
    settings.workers = 2;
    settings.shards = 1;
    settings.log_directory = path() / "kept";
    settings.program = program;
    settings.restart = restart;
    return LocalRun::start(settings, environment);
  }
  static bool becomes_complete(const LocalRun& run) {
    const Instant deadline = monotonic_now() + 20s;
    while (!run.complete() && monotonic_now() < deadline) ::poll(nullptr, 0, 20);
    return run.complete();
  }
};

constexpr const char* slime_program = SLIME_BINARY_DIR "/bin/slime";

}  // namespace local_run_test

BOOST_FIXTURE_TEST_SUITE(local_run_test, Local)

BOOST_AUTO_TEST_CASE(every_child_becomes_a_member_and_goes_with_the_run) {
  {
    const auto run = start(slime_program);
    BOOST_REQUIRE(bool(run));
    BOOST_TEST(becomes_complete(**run));
    BOOST_TEST((*run)->children().size() == 3U);
    (*run)->stop(5s);
    BOOST_TEST((*run)->news()->size() == 3U);
  }
  BOOST_TEST(none_left(path().string(), 5s));
  BOOST_TEST(std::filesystem::exists(path() / "kept" / "worker-0.log"));
  // Sockets and session are gone with the run's private folder.
  for (const auto& entry : std::filesystem::directory_iterator(path()))
    BOOST_TEST(entry.path().filename() == "kept");
}

BOOST_AUTO_TEST_CASE(a_standby_has_another_process_than_its_shard) {
  const auto processes = [](std::uint32_t shards, std::uint32_t replicas) {
    return runtime::Message<schema::JobSpec>::make([=](schema::JobSpec::Builder job) {
             job.setShards(shards);
             job.setReplicas(replicas);
           })
        .read([](auto job) { return LocalRun::shard_processes(job); });
  };
  BOOST_TEST(processes(1, 0) == 1U);
  BOOST_TEST(processes(1, 1) == 2U);
  BOOST_TEST(processes(4, 1) == 4U);
}

BOOST_AUTO_TEST_CASE(a_killed_child_is_declared_dead_at_once_and_joins_again_under_its_name) {
  const auto run = start(slime_program);
  BOOST_REQUIRE(bool(run));
  BOOST_REQUIRE(becomes_complete(**run));
  ::kill((*run)->children().front().pid, SIGKILL);
  std::vector<std::string> news;
  while (news.empty()) news = (*run)->news().value();
  BOOST_TEST(news.front().find("worker-0") == 0U);
  BOOST_TEST(news.front().find("Killed") != std::string::npos);
  BOOST_TEST(becomes_complete(**run));
}

BOOST_AUTO_TEST_CASE(a_child_that_cannot_start_ends_the_run_with_its_reason) {
  const auto run = start(write("broken", "#!/bin/sh\necho no such flag\nexit 2\n").string());
  // A script is no program until it may be executed.
  BOOST_TEST(!run);
  std::filesystem::permissions(path() / "broken", std::filesystem::perms::owner_all);
  const auto again = start((path() / "broken").string());
  BOOST_REQUIRE(bool(again));
  auto news = (*again)->news();
  while (news) news = (*again)->news();
  BOOST_TEST((news.error().code == Errc::unavailable));
  BOOST_TEST(news.error().context.find("exit code 2") != std::string::npos);
  BOOST_TEST(news.error().context.find("no such flag") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/session.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <thread>

#include "tests/support/temp_dir.hpp"
#include "tools/slime/child_process.hpp"
#include "tools/slime/session_record.hpp"

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace session_test {

ChildProcess sleeper() {
  return ChildProcess::start({"sleeper", {"/bin/sleep", "600"}, ""}).value();
}

Member member(const ChildProcess& process, ProcessRole role) {
  return {identify(process.pid()).value(), role, "node", {"unix:/x"}, 1700000000'000000};
}

struct Folder : tests::TempDir {
  std::filesystem::path folder = path() / "session";

  bool says(const Error& error, Errc code, std::string_view text) {
    BOOST_TEST_MESSAGE(error.context);
    return error.code == code && error.context.find(text) != std::string::npos;
  }
};

}  // namespace session_test

BOOST_FIXTURE_TEST_SUITE(session_test, Folder)

BOOST_AUTO_TEST_CASE(the_folder_is_the_users_own) {
  BOOST_TEST(Session::default_folder({{"XDG_RUNTIME_DIR", "/run/user/7"}}, 7) ==
             "/run/user/7/slime");
  BOOST_TEST(Session::default_folder({}, 7) == "/tmp/slime-7");
  BOOST_TEST(Session::default_folder({{"XDG_RUNTIME_DIR", ""}}, 7) == "/tmp/slime-7");
  BOOST_TEST(bool(Session::create(folder)));
  struct stat status {};
  BOOST_REQUIRE(::stat(folder.c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0700u);
  BOOST_TEST(bool(Session::create(folder)));
}

BOOST_AUTO_TEST_CASE(a_folder_that_others_may_enter_is_refused) {
  std::filesystem::create_directory(folder);
  ::chmod(folder.c_str(), 0755);
  BOOST_TEST(says(Session::create(folder).error(), Errc::refused, "other users may enter it"));
  std::filesystem::create_directory_symlink(path(), path() / "link");
  BOOST_TEST(says(Session::create(path() / "link").error(), Errc::refused, "it is no directory"));
}

BOOST_AUTO_TEST_CASE(no_folder_means_no_cluster) {
  BOOST_TEST(
      says(Session::open(folder).error(), Errc::not_found, "no live cluster (session folder"));
}

BOOST_AUTO_TEST_CASE(a_recorded_head_is_found_until_its_record_goes) {
  const Session session = Session::create(folder).value();
  const ChildProcess process = sleeper();
  {
    const auto entry = session.record(member(process, ProcessRole::head)).value();
    const Member head = Session::open(folder).value().head().value();
    BOOST_TEST(head.process.pid == process.pid());
    BOOST_TEST(head.endpoints.front() == "unix:/x");
  }
  BOOST_TEST(says(session.head().error(), Errc::not_found, "no live cluster (session folder"));
}

BOOST_AUTO_TEST_CASE(a_second_head_is_refused_and_nodes_are_not) {
  const Session session = Session::create(folder).value();
  const ChildProcess first = sleeper(), second = sleeper();
  const auto head = session.record(member(first, ProcessRole::head)).value();
  BOOST_TEST(says(session.record(member(second, ProcessRole::head)).error(), Errc::already_exists,
                  "a cluster runs there already, pid " + std::to_string(first.pid())));
  const auto node = session.record(member(second, ProcessRole::node)).value();
  const Members members = session.members().value();
  BOOST_TEST(members.running.size() == 2u);
  BOOST_TEST((members.running.front().role == ProcessRole::head));
}

// Case A3: a crash leaves records behind; they are told as stale and never in the way.
BOOST_AUTO_TEST_CASE(a_crashed_cluster_is_stale_at_once_and_does_not_block_the_next) {
  const Session session = Session::create(folder).value();
  ChildProcess process = sleeper();
  auto entry =
      std::make_unique<SessionEntry>(session.record(member(process, ProcessRole::head)).value());
  // As after kill -9: the record stays.
  const std::string record = read("session/head.process.json");
  entry.reset();
  process.signal(SIGKILL);
  while (!process.reap()) ::poll(nullptr, 0, 1);
  write("session/head.process.json", record);
  write("session/node-1.process.json", "half a rec");
  const Instant begin = monotonic_now();
  BOOST_TEST(says(session.head().error(), Errc::not_found,
                  "no live cluster; stale session from 2023-11-14 22:13:20 UTC"));
  BOOST_TEST(says(session.stop(1s, false).error(), Errc::not_found, "stale session from 2023"));
  BOOST_TEST(to_seconds(monotonic_now() - begin) < 1);
  write("session/head.process.json", record);
  const ChildProcess next = sleeper();
  const auto head = session.record(member(next, ProcessRole::head)).value();
  BOOST_TEST(session.head().value().process.pid == next.pid());
  BOOST_TEST(session.members().value().gone.empty());
}

// Case A1: processes that look like ours, or have taken over a recorded number, stay alive.
BOOST_AUTO_TEST_CASE(stop_leaves_decoys_alone_and_waits_for_its_own) {
  const Session session = Session::create(folder).value();
  const ChildProcess head = sleeper(), node = sleeper(), reused = sleeper();
  const ChildProcess named =
      ChildProcess::start({"decoy", {"/bin/bash", "-c", "exec -a slime sleep 600"}, ""}).value();
  const auto head_entry = session.record(member(head, ProcessRole::head)).value();
  const auto node_entry = session.record(member(node, ProcessRole::node)).value();
  const ChildProcess watching =
      ChildProcess::start({"decoy", {"/usr/bin/tail", "-f", (folder / "lock").string()}, ""})
          .value();
  Member old = member(reused, ProcessRole::node);
  old.process.start_ticks -= 1;
  write("session/node-" + std::to_string(reused.pid()) + ".process.json", write_record(old));

  const auto stopped = session.stop(10s, false).value();
  BOOST_TEST(stopped.size() == 2u);
  BOOST_TEST(stopped[0].member.process.pid == head.pid());
  BOOST_TEST(stopped[1].member.process.pid == node.pid());
  for (const StoppedMember& member : stopped) {
    BOOST_TEST((member.outcome == StopOutcome::stopped));
    BOOST_TEST(!is_running(member.member.process));
  }
  for (const ChildProcess* decoy : {&named, &watching, &reused})
    BOOST_TEST(bool(identify(decoy->pid())), decoy->pid() << " is gone");
  const Members left = session.members().value();
  BOOST_TEST(left.running.size() + left.gone.size() + left.unreadable.size() == 0u);
}

BOOST_AUTO_TEST_CASE(of_many_heads_that_start_at_once_one_is_recorded) {
  const Session session = Session::create(folder).value();
  std::vector<ChildProcess> processes;
  for (int i = 0; i < 6; ++i) processes.push_back(sleeper());
  std::vector<std::unique_ptr<SessionEntry>> entries(processes.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < processes.size(); ++i)
    threads.emplace_back([&, i] {
      auto entry = session.record(member(processes[i], ProcessRole::head));
      if (entry) entries[i] = std::make_unique<SessionEntry>(std::move(*entry));
    });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(std::count(entries.begin(), entries.end(), nullptr) == 5);
}

BOOST_AUTO_TEST_CASE(the_token_is_private_and_absent_until_written) {
  const Session session = Session::create(folder).value();
  BOOST_TEST((session.read_token().error().code == Errc::not_found));
  const std::string token = make_token();
  BOOST_TEST(token.size() == 64u);
  BOOST_TEST(token != make_token());
  BOOST_TEST(bool(session.write_token(token)));
  BOOST_TEST(session.read_token().value() == token);
  struct stat status {};
  BOOST_REQUIRE(::stat(session.token_file().c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0600u);
}

BOOST_AUTO_TEST_SUITE_END()

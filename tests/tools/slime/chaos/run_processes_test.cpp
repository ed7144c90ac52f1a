#include "tools/slime/chaos/run_processes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"
#include "tools/slime/child_process.hpp"
#include "tools/slime/session.hpp"

using namespace slime;
using namespace slime::tools;

namespace run_processes_test {

ChildProcess sleeper() {
  return ChildProcess::start({"test", {"/bin/sh", "-c", "exec sleep 600"}, ""}).value();
}

struct Place : tests::TempDir {
  /// A run's folder, and its session in it.
  Session session(const std::string& folder) const {
    std::filesystem::create_directories(path() / folder);
    return Session::create(path() / folder / "session").value();
  }
};

}  // namespace run_processes_test

using namespace run_processes_test;

BOOST_FIXTURE_TEST_SUITE(run_processes_test, Place)

BOOST_AUTO_TEST_CASE(the_nodes_that_run_are_found_by_what_they_recorded) {
  BOOST_TEST(nodes_of_run(path() / "absent").empty());
  BOOST_TEST(nodes_of_run(path()).empty());
  const Session run = session("slime-run-abc");
  const ChildProcess worker = sleeper(), shard = sleeper();
  const auto recorded = [&run](const std::string& name, const ChildProcess& child) {
    Member member;
    member.process = identify(child.pid()).value();
    member.name = name;
    return run.record(member).value();
  };
  const SessionEntry one = recorded("worker-0", worker), two = recorded("shard-0", shard);
  std::optional<SessionEntry> gone;
  {
    const ChildProcess ended = sleeper();
    gone.emplace(recorded("worker-1", ended));
  }
  const auto nodes = nodes_of_run(path());
  BOOST_REQUIRE(nodes.size() == 2U);
  BOOST_TEST(nodes[0].name == "shard-0");
  BOOST_TEST(nodes[1].name == "worker-0");
  BOOST_TEST((nodes[1].process == identify(worker.pid()).value()));
}

BOOST_AUTO_TEST_CASE(a_session_tells_its_head_from_its_nodes) {
  RunProcesses running;
  take_session(path() / "absent", running);
  BOOST_TEST(!running.head.has_value());
  const Session cluster = session("cluster");
  const ChildProcess head = sleeper(), node = sleeper();
  Member member;
  member.process = identify(head.pid()).value();
  member.role = ProcessRole::head;
  member.name = "head";
  std::optional<SessionEntry> first(cluster.record(member).value());
  member.process = identify(node.pid()).value();
  member.role = ProcessRole::node;
  member.name = "shard-0";
  const SessionEntry second = cluster.record(member).value();
  take_session(cluster.folder(), running);
  BOOST_REQUIRE(running.head.has_value());
  BOOST_TEST((running.head->process == identify(head.pid()).value()));
  BOOST_REQUIRE(running.nodes.size() == 1U);
  BOOST_TEST(running.nodes[0].name == "shard-0");
  first.reset();
  take_session(cluster.folder(), running);
  BOOST_TEST(!running.head.has_value());
}

BOOST_AUTO_TEST_CASE(sessions_of_others_are_not_looked_at) {
  const Session other = session("slime");
  const ChildProcess child = sleeper();
  Member member;
  member.process = identify(child.pid()).value();
  member.name = "worker-0";
  const SessionEntry entry = other.record(member).value();
  BOOST_TEST(nodes_of_run(path()).empty());
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/chaos/fault_kinds.hpp"

#include <poll.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <set>
#include <stdexcept>
#include <vector>

#include "runtime/base/process_stat.hpp"
#include "tools/slime/child_process.hpp"

using namespace slime;
using namespace slime::tools;

namespace fault_kinds_test {

ChildProcess sleeper() {
  return ChildProcess::start({"test", {"/bin/sh", "-c", "exec sleep 600"}, ""}).value();
}

RunProcess named(const std::string& name, const ChildProcess& child) {
  return {name, identify(child.pid()).value()};
}

bool becomes(const ChildProcess& child, char state) {
  for (int look = 0; look < 5000; ++look) {
    std::ifstream file("/proc/" + std::to_string(child.pid()) + "/stat");
    const auto stat = parse_process_stat({std::istreambuf_iterator<char>(file), {}});
    if (stat && stat->state == state) return true;
    ::poll(nullptr, 0, 1);
  }
  return false;
}

const FaultKind& kind(std::string_view name) {
  for (const FaultKind& each : fault_kinds())
    if (each.name == name) return each;
  throw std::runtime_error("no such fault");
}

}  // namespace fault_kinds_test

using namespace fault_kinds_test;

BOOST_AUTO_TEST_SUITE(fault_kinds_test)

// Every kind of the list runs here.
BOOST_AUTO_TEST_CASE(each_has_a_name_hits_its_victim_and_says_so) {
  std::set<std::string_view> names;
  for (const FaultKind& each : fault_kinds()) {
    BOOST_TEST(names.insert(each.name).second);
    BOOST_TEST(!each.doc.empty());
    const ChildProcess child = sleeper();
    std::vector<RunProcess> victims{named("worker-0", child)};
    const auto injection = each.inject(victims);
    BOOST_REQUIRE(bool(injection));
    BOOST_TEST(bool(injection->undo) == each.passes);
    BOOST_TEST(injection->done.find("worker-0 (pid " + std::to_string(child.pid()) + ")") !=
               std::string::npos);
    if (injection->undo) injection->undo();
    // Whoever has ended, or is another of that number, is left alone.
    victims.front().process.start_ticks -= 1;
    BOOST_TEST((each.inject(victims).error().code == Errc::not_found));
  }
}

BOOST_AUTO_TEST_CASE(kill_ends_all_of_them) {
  ChildProcess one = sleeper();
  ChildProcess two = sleeper();
  const std::vector<RunProcess> both{named("a", one), named("b", two)};
  BOOST_TEST(bool(kind("kill").inject(both)));
  for (ChildProcess* child : {&one, &two}) {
    pollfd ended{child->ended(), POLLIN, 0};
    BOOST_TEST(::poll(&ended, 1, 5000) == 1);
    BOOST_TEST(child->reap()->number == SIGKILL);
  }
}

BOOST_AUTO_TEST_CASE(stop_lasts_until_it_is_undone) {
  const ChildProcess child = sleeper();
  BOOST_TEST(becomes(child, 'S'));
  const std::vector<RunProcess> victims{named("a", child)};
  const auto injection = kind("stop").inject(victims);
  BOOST_REQUIRE(bool(injection));
  BOOST_TEST(becomes(child, 'T'));
  injection->undo();
  BOOST_TEST(becomes(child, 'S'));
}

BOOST_AUTO_TEST_SUITE_END()

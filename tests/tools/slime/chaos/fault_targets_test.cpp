#include "tools/slime/chaos/fault_targets.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>

using namespace slime::tools;

namespace fault_targets_test {

RunProcess process(const std::string& name, pid_t pid) {
  return {name, {pid, 1, "boot"}};
}

/// "worker-0 | worker-1": the choices, the processes of each separated by spaces.
std::string choices_of(std::string_view target, const RunProcesses& running) {
  std::string text;
  for (const FaultTarget& each : fault_targets())
    if (each.name == target)
      for (const auto& group : each.choices(running)) {
        text += text.empty() ? "" : " |";
        for (const RunProcess& one : group) text += " " + one.name;
      }
  return text;
}

const RunProcesses running{process("slime train", 10),
                           process("head", 9),
                           {process("shard-0", 11), process("shard-1", 12), process("worker-0", 13),
                            process("worker-1", 14)}};

}  // namespace fault_targets_test

using namespace fault_targets_test;

BOOST_AUTO_TEST_SUITE(fault_targets_test)

BOOST_AUTO_TEST_CASE(each_chooses_among_its_own) {
  const std::map<std::string_view, std::string> expected{
      {"worker", " worker-0 | worker-1"},
      {"shard", " shard-0 | shard-1"},
      {"node", " shard-0 | shard-1 | worker-0 | worker-1"},
      {"head", " head"},
      {"all", " slime train shard-0 shard-1 worker-0 worker-1"}};
  std::set<std::string_view> names;
  for (const FaultTarget& each : fault_targets()) {
    BOOST_TEST(names.insert(each.name).second);
    BOOST_TEST(!each.doc.empty());
    BOOST_REQUIRE(expected.contains(each.name));
    BOOST_TEST(choices_of(each.name, running) == expected.at(each.name));
    BOOST_TEST(each.durable == (each.name == "head"));
  }
}

BOOST_AUTO_TEST_CASE(who_is_not_there_cannot_be_hit) {
  const RunProcesses alone{process("slime train", 10), {}, {}};
  BOOST_TEST(choices_of("worker", alone) == "");
  BOOST_TEST(choices_of("shard", alone) == "");
  BOOST_TEST(choices_of("node", alone) == "");
  BOOST_TEST(choices_of("head", alone) == "");
  BOOST_TEST(choices_of("all", alone) == " slime train");
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/commands.hpp"

#include <boost/test/unit_test.hpp>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "tests/tools/slime/terminal.hpp"

using namespace slime::tools;
using slime::tests::Terminal;

namespace commands_test {

/// A command's name as the shell would split it.
std::vector<std::string> split(std::string_view name) {
  std::istringstream in{std::string(name)};
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace commands_test

BOOST_FIXTURE_TEST_SUITE(commands_test, Terminal)

// Every listed command runs here; adding one adds its cases.
BOOST_AUTO_TEST_CASE(every_command_has_a_name_of_its_own_and_explains_itself) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    BOOST_TEST(names.insert(command.name).second, command.name);
    std::vector<std::string> words = split(command.name);
    words.push_back("--help");
    BOOST_TEST((run(words) == ExitCode::ok), command.name);
    BOOST_TEST(out.str().find("slime " + std::string(command.name)) != std::string::npos);
    BOOST_TEST(err.str() == "");
    for (const char* type : {" TEXT", " FLOAT", " INT", " BOOLEAN"})
      BOOST_TEST(out.str().find(type) == std::string::npos, command.name << " has " << type);
    words.back() = "--no-such-flag";
    BOOST_TEST((run(words) == ExitCode::usage), command.name);
    BOOST_TEST(err.str().find("there is no flag --no-such-flag") != std::string::npos);
    BOOST_TEST(out.str() == "");
  }
}

BOOST_AUTO_TEST_CASE(help_lists_every_command) {
  BOOST_TEST((run({"--help"}) == ExitCode::ok));
  for (const Command& command : commands())
    BOOST_TEST(out.str().find(command.name) != std::string::npos);
  BOOST_TEST((run({}) == ExitCode::usage));
  BOOST_TEST(out.str() == "");
}

BOOST_AUTO_TEST_CASE(an_unknown_command_is_answered_with_the_nearest) {
  BOOST_TEST((run({"config", "shw", "--json"}) == ExitCode::usage));
  BOOST_TEST(err.str() ==
             "slime: there is no command \"config shw\"; did you mean \"config show\"? "
             "(slime --help)\n");
  BOOST_TEST((run({"--verson"}) == ExitCode::usage));
  BOOST_TEST(err.str().find("did you mean \"--version\"?") != std::string::npos);
  BOOST_TEST((run({"configshow"}) == ExitCode::usage));
  BOOST_TEST(err.str().find("did you mean \"config show\"?") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

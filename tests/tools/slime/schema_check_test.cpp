#include "tools/slime/schema_check.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/schema/schema_texts.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime::tools;
using slime::tests::Terminal;

namespace schema_check_test {

struct Checked : slime::tests::SchemaTexts, Terminal {
  ExitCode check(const std::string& before, const std::string& after,
                 const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"schema", "check", schema("older.capnp", before),
                                   schema("newer.capnp", after)};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

}  // namespace schema_check_test

BOOST_FIXTURE_TEST_SUITE(schema_check_test, Checked)

BOOST_AUTO_TEST_CASE(compatible_schemas_end_with_0) {
  BOOST_TEST((check("struct S { a @0 :Int32; }", "struct S { b @0 :Int32; c @1 :Text; }") ==
              ExitCode::ok));
  BOOST_TEST(says("S.a @0: it is called b now"));
  BOOST_TEST(says("compatible: 1 types\n"));
  BOOST_TEST((check("struct S {}", "struct S {}", {"--json"}) == ExitCode::ok));
  BOOST_TEST(out.str() == "{\"ok\":true,\"types\":1,\"incompatible\":[],\"renamed\":[]}\n");
}

BOOST_AUTO_TEST_CASE(incompatible_ones_end_with_10_and_tell_what_to_do) {
  BOOST_TEST(
      (check("struct S { a @0 :Int32; }", "struct S { a @0 :Text; }") == ExitCode::incompatible));
  BOOST_TEST(says("S.a @0: its type changed from Int32 to Text\n    keep it, and add another "));
  BOOST_TEST(says("incompatible: 1 changes in 1 types\n"));
  BOOST_TEST((check("struct S { a @0 :Int32; }", "struct S { a @0 :Text; }", {"--json"}) ==
              ExitCode::incompatible));
  BOOST_TEST(says("{\"ok\":false,\"types\":1,\"incompatible\":[{\"type\":\"S\",\"id\":\"0x"));
  BOOST_TEST(says("\"field\":\"a @0\",\"change\":\"its type changed from Int32 to Text\","));
}

BOOST_AUTO_TEST_CASE(failures_end_with_their_codes) {
  BOOST_TEST((run({"schema", "check", "a.capnp"}) == ExitCode::usage));
  BOOST_TEST((check("struct S {", "struct S {}") == ExitCode::usage));
  BOOST_TEST(complains("older.capnp"));
  BOOST_TEST((run({"schema", "check", (path() / "a").string(), (path() / "b").string()}) ==
              ExitCode::not_found));
  BOOST_TEST((check("struct S {}", "struct S {}", {"--import", (path() / "no").string()}) ==
              ExitCode::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/schema/schema_change.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/tools/slime/schema/schema_texts.hpp"

using namespace slime;
using namespace slime::tools;

namespace schema_change_test {

struct Compared : tests::SchemaTexts {
  void compare(const std::string& before, const std::string& after) {
    const SchemaSource older = source("older.capnp", before);
    const SchemaSource newer = source("newer.capnp", after);
    found = compare_schemas(older.root(), newer.root());
  }
  /// "Type.field: what", each on a line.
  static std::string lines(const std::vector<SchemaChange>& changes) {
    std::string all;
    for (const SchemaChange& change : changes) {
      BOOST_TEST(change.id != 0u);
      all += change.type + "." + change.field + ": " + change.what + "\n";
    }
    return all;
  }
  std::string broken() const { return lines(found.broken); }

  SchemaComparison found;
};

}  // namespace schema_change_test

BOOST_FIXTURE_TEST_SUITE(schema_change_test, Compared)

BOOST_AUTO_TEST_CASE(the_same_and_added_things_are_compatible) {
  const std::string before =
      "struct S { a @0 :Int32; struct Inner { t @0 :Text; } enum E { x @0; } }";
  compare(before, before);
  BOOST_TEST(found.compatible());
  BOOST_TEST(found.types == 3u);
  compare(
      before,
      "struct S { a @0 :Int32; b @1 :Inner; struct Inner { t @0 :Text; } enum E { x @0; y @1; } "
      "} struct New {} const c :Int32 = 5;");
  BOOST_TEST(found.compatible());
  BOOST_TEST(found.renamed.empty());
}

BOOST_AUTO_TEST_CASE(each_change_is_told_with_its_type_and_field) {
  compare("struct S { a @0 :UInt64; b @1 :Int32 = 1; struct Inner { t @0 :Text; u @1 :Text; } }",
          "struct S { a @0 :Int32; b @1 :Int32 = 2; struct Inner { t @0 :Text; } }");
  BOOST_TEST(broken().find("S.a @0: its type changed from UInt64 to Int32\n") != std::string::npos);
  BOOST_TEST(broken().find("S.b @1: its default changed") != std::string::npos);
  BOOST_TEST(broken().find("S.Inner.u @1: it is gone\n") != std::string::npos);
  BOOST_TEST(found.broken.size() == 3u);
  for (const SchemaChange& change : found.broken) BOOST_TEST(!change.remedy.empty());
}

BOOST_AUTO_TEST_CASE(renamed_fields_and_types_are_compatible_and_told) {
  compare("struct S @0xf00dfeedbead1111 { a @0 :Int32; } enum E { x @0; }",
          "struct T @0xf00dfeedbead1111 { b @0 :Int32; } enum E { y @0; }");
  BOOST_TEST(found.compatible());
  const std::string told = lines(found.renamed);
  BOOST_TEST(told.find("S.: it is called T now\n") != std::string::npos);
  BOOST_TEST(told.find("S.a @0: it is called b now\n") != std::string::npos);
  BOOST_TEST(told.find("E.x @0: it is called y now\n") != std::string::npos);
}

// Goal: a type's id follows from its name and its file's id, which few expect.
BOOST_AUTO_TEST_CASE(a_type_that_is_renamed_without_its_id_is_gone) {
  compare("struct S { a @0 :Int32; }", "struct T { a @0 :Int32; }");
  BOOST_TEST(broken() == "S.: it is gone\n");
  BOOST_TEST(found.broken[0].remedy.find("NAME @0x") != std::string::npos);
  compare("struct S { a @0 :Int32; }", "struct S @0xf00dfeedbead1111 { a @0 :Int64; }");
  BOOST_TEST(found.broken.size() == 2u);
  BOOST_TEST(broken().find("S.: its id changed from @0x") != std::string::npos);
  BOOST_TEST(broken().find("S.a @0: its type changed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(another_id_of_the_file_is_told_once) {
  compare("struct S { a @0 :Int32; } struct T {}",
          "@0xf00dfeedbead0099;\nstruct S { a @0 :Int32; } struct T {}");
  BOOST_TEST(broken() ==
             ".: the file's id changed from @0xf00dfeedbead0001 to @0xf00dfeedbead0099\n");
}

BOOST_AUTO_TEST_CASE(enumerants_may_be_added_and_not_removed) {
  compare("enum E { x @0; y @1; }", "enum E { x @0; y @1; z @2; }");
  BOOST_TEST(found.compatible());
  compare("enum E { x @0; y @1; }", "enum E { x @0; }");
  BOOST_TEST(broken() == "E.y @1: it is gone\n");
}

BOOST_AUTO_TEST_CASE(a_type_stays_what_it_is) {
  compare("struct S @0xf00dfeedbead1111 {}", "enum S @0xf00dfeedbead1111 { x @0; }");
  BOOST_TEST(broken() == "S.: it was a struct and is an enum now\n");
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/schema/struct_layout.hpp"

#include <capnp/schema-loader.h>
#include <kj/exception.h>

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/schema/schema_texts.hpp"

using namespace slime;
using namespace slime::tools;

namespace struct_layout_test {

/// Whether Cap'n Proto itself takes one struct for a version of the other, as far as it can tell
/// without the types of their fields. It lets fields and defaults of texts go.
bool is_version(capnp::StructSchema older, capnp::StructSchema newer) {
  try {
    capnp::SchemaLoader loader;
    loader.load(older.getProto());
    loader.load(newer.getProto());
    return true;
  } catch (const kj::Exception&) {
    return false;
  }
}

struct Fields : tests::SchemaTexts {
  /// What became of field @0 of struct S, in few words; "" when nothing did.
  std::string change(const std::string& before, const std::string& after) const {
    const std::string rest =
        "\nstruct Pair { first @0 :Int32; second @1 :Int32; }"
        "\nstruct Flag { first @0 :Bool; }"
        "\nenum Color { red @0; } enum Shade { red @0; }";
    const SchemaSource older = source("older.capnp", "struct S { " + before + " }" + rest);
    const SchemaSource newer = source("newer.capnp", "struct S { " + after + " }" + rest);
    const auto was = layout_of(older.root().getNested("S").asStruct());
    const auto is = layout_of(newer.root().getNested("S").asStruct());
    const auto change = change_of(was.at(0), is.at(0));
    const bool version =
        is_version(older.root().getNested("S").asStruct(), newer.root().getNested("S").asStruct());
    BOOST_TEST((change || version), "Cap'n Proto refuses " << before << " -> " << after);
    return change ? change->what : "";
  }
};

}  // namespace struct_layout_test

BOOST_FIXTURE_TEST_SUITE(struct_layout_test, Fields)

BOOST_AUTO_TEST_CASE(fields_of_groups_and_unions_have_their_ordinals) {
  const SchemaSource source = this->source("a.capnp", R"(
      struct S {
        a @0 :Int32;
        place :group { row @2 :UInt8; column @1 :UInt8 = 7; }
        union { left @3 :Text; right :group { x @4 :Text; y @5 :Bool; } }
      })");
  const auto layout = layout_of(source.root().getNested("S").asStruct());
  BOOST_TEST(layout.size() == 6u);
  BOOST_TEST(layout.at(1).name == "place.column");
  BOOST_TEST(layout.at(1).default_value != layout.at(2).default_value);
  BOOST_TEST(layout.at(2).name == "place.row");
  BOOST_TEST(layout.at(0).unions.empty());
  BOOST_REQUIRE(layout.at(5).unions.size() == 1u);
  BOOST_TEST(layout.at(5).name == "right.y");
  BOOST_TEST(layout.at(5).unions.begin()->second == 1u);
}

BOOST_AUTO_TEST_CASE(what_the_rules_allow_is_no_change) {
  for (const auto& [before, after] : {
           std::pair{"a @0 :Int32;", "b @0 :Int32;"},
           {"a @0 :Int32;", "a @0 :Int32; b @1 :Text;"},
           {"a @0 :Int32; b @1 :Text;", "b @1 :Text; a @0 :Int32;"},
           {"a @0 :Int32; b @1 :Bool;", "g :group { a @0 :Int32; b @1 :Bool; }"},
           {"a @0 :Int32;", "union { a @0 :Int32; b @1 :Text; }"},
           {"union { a @0 :Int32; b @1 :Text; }", "union { a @0 :Int32; b @1 :Text; c @2 :Bool; }"},
           {"a @0 :List(Int32);", "a @0 :List(Pair);"},
           {"a @0 :List(List(Int32));", "a @0 :List(List(Pair));"},
       })
    BOOST_TEST(change(before, after) == "", before << " -> " << after);
}

BOOST_AUTO_TEST_CASE(another_type_is_told_as_it_is_written) {
  BOOST_TEST(change("a @0 :UInt64;", "a @0 :Int32;") == "its type changed from UInt64 to Int32");
  BOOST_TEST(change("a @0 :List(Text);", "a @0 :Text;") ==
             "its type changed from List(Text) to Text");
  BOOST_TEST(change("a @0 :Data;", "a @0 :Text;") == "its type changed from Data to Text");
  BOOST_TEST(change("a @0 :Color;", "a @0 :Shade;") == "its type changed from Color to Shade");
  BOOST_TEST(change("a @0 :Float32;", "a @0 :UInt32;") ==
             "its type changed from Float32 to UInt32");
  BOOST_TEST(change("a @0 :Pair;", "a @0 :Flag;") == "its type changed from Pair to Flag");
  BOOST_TEST(change("a @0 :List(Int64);", "a @0 :List(Pair);") ==
             "its type changed from List(Int64) to List(Pair)");
  BOOST_TEST(change("a @0 :List(Bool);", "a @0 :List(Flag);") ==
             "its type changed from List(Bool) to List(Flag)");
  BOOST_TEST(change("a @0 :AnyPointer;", "a @0 :Pair;") ==
             "its type changed from AnyPointer to Pair");
  BOOST_TEST(change("a @0 :Text;", "a @0 :Data;") == "its type changed from Text to Data");
  BOOST_TEST(change("a @0 :List(Text);", "a @0 :List(Data);") ==
             "its type changed from List(Text) to List(Data)");
}

BOOST_AUTO_TEST_CASE(another_default_is_told) {
  BOOST_TEST(change("a @0 :Int32 = 5;", "a @0 :Int32 = 6;").starts_with("its default changed"));
  BOOST_TEST(change("a @0 :Int32;", "a @0 :Int32 = 6;").starts_with("its default changed"));
  BOOST_TEST(change("a @0 :Text = \"x\";", "a @0 :Text;").starts_with("its default changed"));
}

BOOST_AUTO_TEST_CASE(moves_in_and_out_of_unions_are_told) {
  BOOST_TEST(change("union { a @0 :Int32; b @1 :Text; }", "a @0 :Int32; b @1 :Text;") ==
             "its place in a union changed");
  // Whose discriminant lies in what was unused, and so is that of the lowest ordinal.
  FieldLayout older, newer;
  newer.unions = {{4, 1}};
  BOOST_TEST(change_of(older, newer)->what.starts_with("it was put into a union"));
}

BOOST_AUTO_TEST_CASE(another_place_is_told) {
  BOOST_TEST(
      change("a @0 :Int32; b @1 :Int8; c @2 :Int32;", "a @0 :Int32; b @1 :Int8; c @2 :Int32;")
          .empty());
  FieldLayout older, newer;
  newer.offset = 1;
  BOOST_TEST(change_of(older, newer)->what.starts_with("it lies elsewhere"));
}

BOOST_AUTO_TEST_SUITE_END()

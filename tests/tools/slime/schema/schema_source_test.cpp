#include "tools/slime/schema/schema_source.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/tools/slime/schema/schema_texts.hpp"

using namespace slime;
using tools::SchemaSource;

BOOST_FIXTURE_TEST_SUITE(schema_source_test, tests::SchemaTexts)

BOOST_AUTO_TEST_CASE(a_file_is_read_with_what_it_imports) {
  std::filesystem::create_directories(path() / "inside");
  schema("above.capnp", "struct Above { value @0 :Int32; }");
  // However it is imported, it is one file.
  const std::string file = schema("inside/a.capnp",
                                  "@0xf00dfeedbead0002;\n"
                                  "using Cxx = import \"/capnp/c++.capnp\";\n"
                                  "$Cxx.namespace(\"x\");\n"
                                  "using Up = import \"../above.capnp\";\n"
                                  "using Far = import \"/above.capnp\";\n"
                                  "struct A { up @0 :Up.Above; far @1 :Far.Above; }");
  const auto found = SchemaSource::read(file, {});
  BOOST_REQUIRE_MESSAGE(found, (found ? "" : found.error().context));
  BOOST_TEST(found->root().getNested("A").asStruct().getFields().size() == 2u);
}

BOOST_AUTO_TEST_CASE(what_lies_elsewhere_is_found_in_the_folders_of_imports) {
  const tests::TempDir elsewhere;
  elsewhere.write("far.capnp", "@0xf00dfeedbead0002;\nstruct Far {}");
  const std::string file =
      schema("a.capnp", "using Far = import \"/far.capnp\";\nstruct A { far @0 :Far.Far; }");
  const auto missing = SchemaSource::read(file, {});
  BOOST_TEST((missing.error().code == Errc::invalid_argument));
  BOOST_TEST(missing.error().context.find("--import DIR") != std::string::npos);
  const std::vector<std::string> imports{elsewhere.path().string()};
  BOOST_TEST(bool(SchemaSource::read(file, imports)));
}

BOOST_AUTO_TEST_CASE(what_does_not_compile_is_refused_with_its_place) {
  const auto found = SchemaSource::read(schema("a.capnp", "struct A {\n  value @1 :Int32;\n}"), {});
  BOOST_TEST((found.error().code == Errc::invalid_argument));
  BOOST_TEST_MESSAGE(found.error().context);
  BOOST_TEST(found.error().context.find("a.capnp:3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_not_found) {
  BOOST_TEST(
      (SchemaSource::read((path() / "no.capnp").string(), {}).error().code == Errc::not_found));
  BOOST_TEST((SchemaSource::read(path().string(), {}).error().code == Errc::not_found));
  const std::vector<std::string> imports{(path() / "nowhere").string()};
  const auto found = SchemaSource::read(schema("a.capnp", "struct A {}"), imports);
  BOOST_TEST((found.error().code == Errc::not_found));
  BOOST_TEST(found.error().context.find("nowhere") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

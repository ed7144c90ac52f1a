#include "tools/slime/settings/toml_text.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;

namespace toml_text_test {

constexpr FileKind job{"job", "a name"};

bool says(const Error& error, const std::string& text, Errc code = Errc::invalid_argument) {
  return error.code == code && error.context.find(text) != std::string::npos;
}

}  // namespace toml_text_test

BOOST_FIXTURE_TEST_SUITE(toml_text_test, tests::TempDir)

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_a_job_is_refused_by_name) {
  BOOST_TEST(says(read_toml_file(path() / "absent.toml", job).error(),
                  "absent.toml: there is no such", Errc::not_found));
  BOOST_TEST(says(read_toml_file(path(), job).error(), "it is a directory"));
  BOOST_TEST(says(read_toml_file(write("empty.toml", ""), job).error(), "it is empty"));
  BOOST_TEST(
      says(read_toml_file(write("blank.toml", "\n# nothing\n"), job).error(), "it is empty"));
  BOOST_TEST(says(read_toml_file("/dev/zero", job).error(), "over 1 MiB"));
}

BOOST_AUTO_TEST_CASE(broken_toml_is_refused_with_line_and_column) {
  BOOST_TEST(says(read_toml_file(write("a.toml", "x = 1\ny = = 2\n"), job).error(),
                  "a.toml:2:5: not TOML"));
  BOOST_TEST(says(read_toml_file(write("b.toml", "x = 1\nx = 2\n"), job).error(), "b.toml:2:"));
  BOOST_TEST(says(read_toml_file(write("c.toml", "x = \"\xff\"\n"), job).error(), "c.toml:1:"));
}

BOOST_AUTO_TEST_CASE(a_value_is_one_toml_value) {
  BOOST_TEST(parse_toml_value("[0.8, 0.9]")->get("value")->as_array()->size() == 2u);
  BOOST_TEST(says(parse_toml_value("1\nother = 2").error(), "one value"));
  BOOST_TEST(says(parse_toml_value("[1").error(), ""));
}

BOOST_AUTO_TEST_CASE(a_value_is_described_so_that_the_difference_shows) {
  BOOST_TEST(describe(*parse_toml_value("2")->get("value")) == "the number 2");
  BOOST_TEST(describe(*parse_toml_value("2.0")->get("value")) == "the number 2.0");
  BOOST_TEST(describe(*parse_toml_value("\"2\"")->get("value")) == "the text \"2\"");
  BOOST_TEST(describe(*parse_toml_value("2020-01-01")->get("value")) == "a date or time");
}

BOOST_AUTO_TEST_SUITE_END()

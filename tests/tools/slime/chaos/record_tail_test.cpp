#include "tools/slime/chaos/record_tail.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/record/sample_record.hpp"

using namespace slime;
using namespace slime::tools;

namespace record_tail_test {

struct Record : tests::TempDir {
  const std::filesystem::path file = path() / "record.jsonl";
  RecordTail tail{file};

  void append(std::string_view text) const {
    std::ofstream(file, std::ios::binary | std::ios::app) << text;
  }
  Result<std::size_t> read() {
    return tail.read([](auto) { return ok(); });
  }
};

}  // namespace record_tail_test

BOOST_FIXTURE_TEST_SUITE(record_tail_test, record_tail_test::Record)

BOOST_AUTO_TEST_CASE(each_line_is_taken_once_and_only_when_it_is_whole) {
  BOOST_TEST(read().value() == 0U);
  const std::string group = tests::group_line(1, 1, 5, 0.5F);
  append(tests::header_line() + group + group.substr(0, 20));
  BOOST_TEST(read().value() == 2U);
  BOOST_TEST(read().value() == 0U);
  append(group.substr(20));
  std::uint64_t iteration = 0;
  const auto taken = tail.read([&iteration](schema::RecordLine::Reader line) {
    iteration = line.getEntry().getGroup().getIteration();
    return ok();
  });
  BOOST_TEST(taken.value() == 1U);
  BOOST_TEST(iteration == 5U);
}

BOOST_AUTO_TEST_CASE(a_line_that_is_none_is_named_by_its_number) {
  append(tests::header_line() + "what is this\n");
  const auto taken = read();
  BOOST_REQUIRE(!taken);
  BOOST_TEST((taken.error().code == Errc::corruption));
  BOOST_TEST(taken.error().context.find("record.jsonl, line 2: ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_its_taker_says_is_handed_on) {
  append(tests::header_line());
  const auto taken = tail.read([](auto) { return Status(Error{Errc::stale, "enough"}); });
  BOOST_TEST((taken.error().code == Errc::stale));
}

BOOST_AUTO_TEST_SUITE_END()

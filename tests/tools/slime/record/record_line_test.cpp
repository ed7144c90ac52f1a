#include "tools/slime/record/record_line.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/tools/slime/record/sample_record.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

namespace record_line_test {

Errc refused(const std::string& line) {
  const Status read = read_record_line(line, [](schema::RecordLine::Reader) { return ok(); });
  BOOST_REQUIRE(!read);
  return read.error().code;
}

}  // namespace record_line_test

BOOST_AUTO_TEST_SUITE(record_line_test)

BOOST_AUTO_TEST_CASE(a_line_reads_back_as_it_was_written) {
  const std::string line = group_line(1.5, 1, 7, 0.25);
  BOOST_TEST(line.ends_with("}\n"));
  BOOST_TEST(line.find('\n') + 1 == line.size());
  BOOST_TEST(bool(read_record_line(line, [](schema::RecordLine::Reader read) {
    const auto group = read.getEntry().getGroup();
    BOOST_TEST(read.getEntry().getRunSeconds() == 1.5);
    BOOST_TEST(group.getWorker() == 1u);
    BOOST_TEST(group.getIteration() == 7u);
    BOOST_TEST(group.getComputeSeconds() == 0.25F);
    return ok();
  })));
}

BOOST_AUTO_TEST_CASE(what_is_no_json_or_of_other_types_is_refused) {
  for (const char* line :
       {"", "{", "[]", "7", "{\"entry\":7}", "{\"entry\":{\"runSeconds\":\"x\"}}",
        "{\"entry\":{\"group\":{\"worker\":-1}}}", "{\"entry\":{\"group\":{\"worker\":1e30}}}",
        "{\"header\":{}} {\"header\":{}}"})
    BOOST_TEST((refused(line) == Errc::corruption), line);
  BOOST_TEST((refused(std::string(100'000, '[')) == Errc::corruption));
}

// Goal: names of files may be any bytes; JSON may not.
BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_are_replaced_and_never_read) {
  const std::string line = gone_line(1, 0, "a\xff\xfe \xc3\xa4 \xe2\x82 \x01");
  BOOST_TEST(line.find("a\xef\xbf\xbd\xef\xbf\xbd \xc3\xa4 \xef\xbf\xbd") != std::string::npos);
  BOOST_TEST(line.find('\x01') == std::string::npos);
  BOOST_TEST(bool(read_record_line(line, [](auto) { return ok(); })));
  const Status read = read_record_line("{\"novelty\":\"a\xff\"}", [](auto) { return ok(); });
  BOOST_REQUIRE(!read);
  BOOST_TEST((read.error().code == Errc::corruption));
  BOOST_TEST(read.error().context.find("byte 14, ff, is no UTF-8") != std::string::npos,
             read.error().context);
}

BOOST_AUTO_TEST_CASE(what_a_later_version_adds_is_unknown) {
  for (const char* line : {"{}", "{\"novelty\":{\"x\":1}}"})
    BOOST_TEST(bool(read_record_line(line, [](schema::RecordLine::Reader read) {
      BOOST_TEST(read.isUnknown());
      return ok();
    })));
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_no_number_is_kept) {
  const std::string line = entry_line(1, [](schema::RecordEntry::Builder entry) {
    entry.initEvaluation().setLoss(std::numeric_limits<double>::quiet_NaN());
  });
  BOOST_TEST(bool(read_record_line(line, [](schema::RecordLine::Reader read) {
    BOOST_TEST(std::isnan(read.getEntry().getEvaluation().getLoss()));
    return ok();
  })));
}

BOOST_AUTO_TEST_SUITE_END()

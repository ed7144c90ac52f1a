#include "tools/slime/record/record_writer.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/record/sample_record.hpp"
#include "tools/slime/record/run_figures.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

namespace record_writer_test {

struct Writing : TempDir {
  static RecordPiece piece(double run_s, std::uint64_t lost = 0, bool another = false) {
    return {runtime::Message<schema::Record>::make([&](schema::Record::Builder root) {
              root.setLost(lost);
              auto entry = root.initEntries(1)[0];
              entry.setRunSeconds(run_s);
              entry.initJoined().setWorker(1);
            }),
            another};
  }
  static void begin(RecordWriter& writer) {
    runtime::Message<schema::JobSpec>::make([](schema::JobSpec::Builder root) {
      root.setName("written");
      root.setWorkers(2);
    }).read([&](schema::JobSpec::Reader job) { writer.begin(job, 5, true, 1); });
  }
  RecordWriter writer(const std::filesystem::path& file) {
    return {file, [this](const std::string& line) { told.push_back(line); }};
  }

  std::vector<std::string> told;
};

}  // namespace record_writer_test

BOOST_FIXTURE_TEST_SUITE(record_writer_test, Writing)

BOOST_AUTO_TEST_CASE(a_record_is_read_as_it_was_written) {
  const auto file = path() / "new" / "record.jsonl";
  RecordWriter out = writer(file);
  begin(out);
  out.add(piece(1));
  out.add(piece(2, 3));
  out.add(piece(3, 0, true));
  out.end(runtime::Message<schema::Progress>::make([](schema::Progress::Builder root) {
            root.setState(schema::JobState::FAILED);
            root.setRunSeconds(4);
            root.initEvents(5);
          }),
          "a reason");
  BOOST_TEST(out.whole());
  BOOST_TEST(told.empty());
  const auto story = read_story(file);
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(figures_of(*story).name == "written");
  story->header.read([](schema::RecordHeader::Reader header) {
    BOOST_TEST(header.getRun() == 5u);
    BOOST_TEST(header.getResume());
  });
  BOOST_TEST(story->lost == 3u);
  BOOST_TEST(story->lost_more);
  BOOST_TEST(story->run_s == 4);
  BOOST_REQUIRE(story->end.has_value());
  story->end->read([](schema::RecordEnd::Reader end) {
    BOOST_TEST((end.getState() == schema::JobState::FAILED));
    BOOST_TEST(end.getReason().cStr() == std::string("a reason"));
    BOOST_TEST(end.getProgress().getEvents().size() == 0u);
  });
}

// Goal: of a run whose command gave up, nobody knows what the coordinator would still have told.
BOOST_AUTO_TEST_CASE(an_end_before_the_jobs_own_comes_after_a_gap) {
  using enum schema::JobState;
  for (const schema::JobState state : {STARTING, TRAINING, FINISHED, FAILED, STOPPED}) {
    RecordWriter out = writer(path() / "record.jsonl");
    begin(out);
    out.add(piece(1));
    out.end(runtime::Message<schema::Progress>::make(
                [state](schema::Progress::Builder root) { root.setState(state); }),
            "");
    const auto story = read_story(out.file());
    BOOST_REQUIRE(bool(story));
    BOOST_TEST(story->end.has_value());
    BOOST_TEST(story->lost_more == (state == STARTING || state == TRAINING));
  }
}

// Goal: a full disk, a folder in the way and a pipe that nobody reads cost the record, are told
// once, and nothing else.
BOOST_AUTO_TEST_CASE(what_cannot_be_written_is_told_once) {
  const auto pipe = path() / "pipe";
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::filesystem::path& file :
       {std::filesystem::path("/dev/full"), path(), pipe, path() / "pipe" / "below"}) {
    told.clear();
    RecordWriter out = writer(file);
    begin(out);
    out.add(piece(1));
    out.add(piece(2));
    BOOST_TEST(!out.whole());
    BOOST_TEST(told.size() == 1u);
    BOOST_TEST(told.front().find(file.string()) != std::string::npos);
  }
}

// Goal: runs that start in the same second do not write into one file, not even when neither has
// written anything yet.
BOOST_AUTO_TEST_CASE(each_run_of_a_folder_has_a_file_of_its_own) {
  const auto in_folder = [this] {
    return RecordWriter::in(path() / "new", 1'780'000'000'000'000,
                            [this](const std::string& line) { told.push_back(line); });
  };
  RecordWriter first = in_folder();
  RecordWriter second = in_folder();
  RecordWriter third = in_folder();
  BOOST_TEST(first.file().filename().string() == "record-20260528-202640.jsonl");
  BOOST_TEST(second.file().filename().string() == "record-20260528-202640-2.jsonl");
  BOOST_TEST(third.file().filename().string() == "record-20260528-202640-3.jsonl");
  for (RecordWriter* each : {&first, &second, &third}) begin(*each);
  for (RecordWriter* each : {&first, &second, &third}) BOOST_TEST(bool(read_story(each->file())));
  BOOST_TEST(told.empty());
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_is_told_once) {
  write("file", "");
  const RecordWriter out = RecordWriter::in(
      path() / "file", 0, [this](const std::string& line) { told.push_back(line); });
  BOOST_TEST(!out.whole());
  BOOST_TEST(told.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

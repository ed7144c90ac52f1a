#include "tools/slime/record/record_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/base/utc_time.hpp"
#include "tools/slime/record/record_line.hpp"

namespace slime::tools {

namespace {

std::string gap_line(std::uint64_t lost) {
  return record_line([lost](schema::RecordLine::Builder line) { line.initGap().setLost(lost); });
}

}  // namespace

RecordWriter::RecordWriter(std::filesystem::path file, int flags) : file_(std::move(file)) {
  std::error_code failure;
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), failure);
  // A pipe without a reader is refused and not waited for.
  out_ =
      Descriptor(::open(file_.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | flags, 0644));
}

RecordWriter::RecordWriter(std::filesystem::path file,
                           std::function<void(const std::string&)> complain)
    : RecordWriter(std::move(file), O_TRUNC) {
  complain_ = std::move(complain);
  if (!out_) give_up(std::strerror(errno));
}

RecordWriter RecordWriter::in(const std::filesystem::path& folder, std::int64_t wall_us,
                              std::function<void(const std::string&)> complain) {
  const std::string stem = utc_text(wall_us, "record-%Y%m%d-%H%M%S");
  RecordWriter writer(folder / (stem + ".jsonl"), O_EXCL);
  for (int other = 2; !writer.out_ && errno == EEXIST; ++other)
    writer = RecordWriter(folder / fmt::format("{}-{}.jsonl", stem, other), O_EXCL);
  writer.complain_ = std::move(complain);
  if (!writer.out_) writer.give_up(std::strerror(errno));
  return writer;
}

void RecordWriter::begin(schema::JobSpec::Reader job, std::uint64_t run, bool resume,
                         std::int64_t wall_us) {
  write(record_line([&](schema::RecordLine::Builder line) {
    auto header = line.initHeader();
    header.setFormatVersion(record_format);
    header.setSlimeVersion(SLIME_VERSION);
    header.setRun(run);
    header.setStartedUs(wall_us);
    header.setResume(resume);
    header.setJob(job);
  }));
}

void RecordWriter::add(const RecordPiece& piece) {
  if (!out_) return;
  std::string text;
  if (piece.another) text += gap_line(0);
  piece.record.read([&text](schema::Record::Reader read) {
    if (read.getLost() > 0) text += gap_line(read.getLost());
    for (const auto entry : read.getEntries())
      text += record_line([&](schema::RecordLine::Builder line) { line.setEntry(entry); });
  });
  write(text);
}

void RecordWriter::end(const runtime::Message<schema::Progress>& progress,
                       std::string_view reason) {
  progress.read([&](schema::Progress::Reader read) {
    // What else happened nobody has asked for.
    if (read.getState() <= schema::JobState::TRAINING) write(gap_line(0));
    write(record_line([&](schema::RecordLine::Builder line) {
      auto end = line.initEnd();
      end.setState(read.getState());
      end.setReason(std::string(reason));
      end.setProgress(read);
      end.getProgress().disownEvents();
    }));
  });
}

void RecordWriter::write(std::string_view text) {
  while (out_ && !text.empty()) {
    const ssize_t written = ::write(out_.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return give_up(std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void RecordWriter::give_up(const std::string& why) {
  out_ = {};
  complain_(fmt::format("the run goes on without its record: writing {}: {}", file_.string(), why));
}

}  // namespace slime::tools

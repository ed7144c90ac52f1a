#include "storage/write_fence.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

#include "storage/checksum.hpp"
#include "storage/durable_file.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "FENCE";

/// "TERM CHECKSUM", for people to read as well.
std::string line_of(std::uint64_t term) {
  const std::string digits = std::to_string(term);
  return digits + " " + std::to_string(checksum(std::as_bytes(std::span(digits))));
}

}  // namespace

WriteFence WriteFence::read(fs::path folder) {
  std::ifstream file(folder / file_name, std::ios::binary);
  std::string text;
  // Not by iterators, which throw where a disk fails.
  std::getline(file, text);
  const bool whole = file.good();
  std::uint64_t term = 0;
  for (const char letter : text) {
    if (letter < '0' || letter > '9') break;
    term = term * 10 + static_cast<std::uint64_t>(letter - '0');
  }
  // Damage must refuse nobody who is right; the next one to take the store over mends it.
  return {std::move(folder), whole && text == line_of(term) ? term : 0};
}

Status WriteFence::raise(std::uint64_t term) {
  term_ = std::max(term_, term);
  if (term_ == kept_) return ok();
  const fs::path path = folder_ / file_name;
  if (!write_durably(path, line_of(term_) + "\n"))
    return Error{Errc::io_error, "writing " + path.string() + ": " + std::strerror(errno) +
                                     "; the folder must be writable and its disk not full"};
  kept_ = term_;
  return ok();
}

}  // namespace slime::storage

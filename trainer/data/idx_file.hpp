#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::trainer {

/// One idx file of unsigned bytes: big-endian magic 0x08RR (RR the number of dimensions), the
/// dimensions as 32-bit integers, then the values, last dimension fastest. Gzipped or not, told by
/// its content.
struct IdxFile {
  std::vector<std::size_t> dimensions;
  std::vector<std::uint8_t> values;
  std::uint32_t crc32 = 0;  ///< Of header and values.
};

/// Reads a whole file and checks it against its header, its length and, if gzipped, its checksum.
/// Memory grows with what is really there, never with what a header promises. Blocks on the disk.
/// @param dimensions  How many the file must have.
/// Errors: not_found, io_error, corruption (with expected and found numbers).
Result<IdxFile> read_idx(const std::filesystem::path& path, std::size_t dimensions);

}  // namespace slime::trainer

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_audit.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// What was found when checkpoints and the stores that hold them were read whole.
struct Verification {
  struct Store {
    std::string name;
    /// Why it cannot be read, or is read without its bookkeeping; none: neither.
    std::optional<Error> damage;
    std::vector<storage::Database::DamagedFile> files;

    bool whole() const { return !damage && files.empty(); }
  };
  struct Checkpoint {
    storage::CommittedCheckpoint name;
    std::uint64_t parameters = 0;  ///< 0: the manifest is damaged; so for the next two.
    std::uint64_t parts = 0;
    std::uint64_t bytes = 0;
    std::vector<storage::Damage> damage;
  };
  std::vector<Store> stores;
  std::vector<Checkpoint> checkpoints;  ///< Oldest first.

  /// ok: all is whole; corrupt: something is damaged; otherwise why something could not be read.
  ExitCode code() const;
};

/// Reads every byte of every store under `directory`, and every checkpoint block by block. Memory
/// grows with the number of blocks, a thousandth of the parameters. Changes nothing; the stores may
/// have writers. Blocks on the disk. Errors: not_found (no folder, no store, or no checkpoint in
/// stores that are whole), io_error.
Result<Verification> verify_all(const std::filesystem::path& directory);
/// Reads one checkpoint, and of the stores nothing else. Errors: those of `find_checkpoint`, which
/// explains `which`; not_found (the job dropped it meanwhile).
Result<Verification> verify_one(const std::filesystem::path& directory, std::string_view which);

std::string verification_text(const Verification& verification);
/// One JSON object in one line.
std::string verification_json(const Verification& verification);

}  // namespace slime::tools

// Files as an enemy, or a bad disk, might leave them: whatever bytes they have, an import ends with
// one of its exit codes and one line, and what it does not accept it does not write.

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <random>
#include <sstream>

#include "storage/newest_valid.hpp"
#include "tests/cluster/tiny_job.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"
#include "tools/slime/commands.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
namespace fs = std::filesystem;

namespace mutated_files_test {

constexpr unsigned mutations = 400;

/// Changes what a file of tensors is made of; most often near its ends, where its directory is.
class Mutation {
 public:
  explicit Mutation(unsigned seed) : random_(seed) {}

  std::string of(std::string bytes) {
    for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
      const std::size_t at = place(bytes.size());
      switch (below(6)) {
        case 0:
          bytes.resize(at);
          break;
        case 1:
          bytes.insert(at, std::string(1 + below(16), static_cast<char>(below(256))));
          break;
        case 2:
          bytes.erase(at, 1 + below(16));
          break;
        case 3:  // A length or an offset becomes huge.
          for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i) bytes[i] = '\xff';
          break;
        case 4:  // Another digit or letter.
          bytes[at] = static_cast<char>(' ' + below(95));
          break;
        default:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      }
    }
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  std::size_t place(std::size_t size) {
    const std::size_t near = std::min<std::size_t>(size, 600);
    switch (below(3)) {
      case 0:
        return below(near);
      case 1:
        return size - 1 - below(near);
      default:
        return below(size);
    }
  }

  std::mt19937 random_;
};

struct Mutated : TempDir {
  Mutated() {
    const std::vector<SampleTensor> tensors{
        {"0.weight", {64, 256}, std::vector<float>(64 * 256, 0.25F)},
        {"0.bias", {256}, std::vector<float>(256, 0.5F)},
        {"1.weight", {256, 10}, std::vector<float>(2560, 0.75F)},
        {"1.bias", {10}, std::vector<float>(10, 1.0F)}};
    for (const TensorFileFormat& format : tensor_file_formats())
      BOOST_REQUIRE(bool(write_file(path() / file(format), tensors)));
  }

  static std::string file(const TensorFileFormat& format) {
    return "file" + std::string(format.extension);
  }

  ExitCode importing(const std::string& name) {
    err.str("");
    const std::vector<std::string> words{"checkpoint",  "import", (path() / name).string(),
                                         runs.string(), "--job",  job.file().string()};
    return run_command(words, {out, err, environment});
  }

  const TinyJob job{*this};
  const fs::path runs = path() / "runs";
  std::ostringstream out, err;
  const Environment environment;
};

}  // namespace mutated_files_test

BOOST_FIXTURE_TEST_SUITE(mutated_files_test, Mutated)

BOOST_AUTO_TEST_CASE(whatever_a_file_holds_it_is_imported_whole_or_refused) {
  for (const TensorFileFormat& format : tensor_file_formats()) {
    const std::string whole = read(file(format));
    BOOST_REQUIRE((importing(file(format)) == ExitCode::ok));
    fs::remove_all(runs);
    unsigned refused = 0;
    for (unsigned seed = 0; seed < mutations; ++seed) {
      const std::string name = "mutated" + std::string(format.extension);
      write(name, Mutation(seed).of(whole));
      BOOST_TEST_CONTEXT(format.name << ", seed " << seed) {
        const ExitCode code = importing(name);
        if (code == ExitCode::ok) {
          // Numbers that changed are numbers all the same.
          BOOST_TEST(bool(storage::newest_valid(runs, "head")));
          fs::remove_all(runs);
          continue;
        }
        ++refused;
        BOOST_TEST((code == ExitCode::usage || code == ExitCode::corrupt));
        BOOST_TEST(!fs::exists(runs));
        const std::string line = err.str();
        BOOST_TEST(line.find('\n') + 1 == line.size());
        BOOST_TEST(line.size() < 4000u);
      }
    }
    BOOST_TEST(refused > mutations / 2);
  }
}

BOOST_AUTO_TEST_SUITE_END()

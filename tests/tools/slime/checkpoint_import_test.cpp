#include "tools/slime/checkpoint_import.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"
#include "tests/tools/slime/started_cluster.hpp"
#include "tools/slime/exchange/tensor_listing.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace checkpoint_import_test {

struct Imports : TempDir {
  /// Runs slime to its good end and returns what it printed last.
  std::string run(const std::vector<std::string>& arguments) const {
    SlimeProcess process(*this, arguments);
    BOOST_REQUIRE_MESSAGE(process.wait(60s).value_or(-1) == 0, process.err());
    return process.last_line();
  }
  std::string file(const std::string& name) const { return (path() / name).string(); }
  std::vector<std::string> importing(const std::string& from, const std::string& to,
                                     std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"checkpoint", "import", file(from), file(to), "--job", job.file().string()});
    return more;
  }
  /// What `train` says of the parameters that it ended with.
  std::string trained(std::vector<std::string> more) const {
    more.insert(more.begin(), {"train", job.file().string(), "--json"});
    const std::string line = run(more);
    const std::size_t from = line.find("\"parameters_sha256\":");
    BOOST_REQUIRE(from != std::string::npos);
    return line.substr(from, 90);
  }

  const TinyJob job{*this};
};

/// Tensors of the tiny job's model, each with one number in it.
std::vector<SampleTensor> tiny_model() {
  return {{"0.weight", {64, 256}, std::vector<float>(64 * 256, 0.25F)},
          {"0.bias", {256}, std::vector<float>(256, 0.5F)},
          {"1.weight", {256, 10}, std::vector<float>(2560, 0.75F)},
          {"1.bias", {10}, std::vector<float>(10, 1.0F)}};
}

}  // namespace checkpoint_import_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_import_test, Imports)

// Goal: what was imported is trained on. Method: parameters that a new job would begin with are
// imported, and a resumed run ends with the very bits of one that began anew.
BOOST_AUTO_TEST_CASE(a_resumed_run_begins_with_what_was_imported) {
  const std::string anew = trained({"--set", "epochs=2"});
  BOOST_REQUIRE(bool(write_file(path() / "nothing.safetensors", {})));
  run(importing("nothing.safetensors", "initial", {"--allow-missing"}));
  const std::string initial = "checkpoint.directory=" + file("initial");
  BOOST_TEST(trained({"--resume", "--set", initial, "--set", "epochs=2"}) == anew);

  // Other parameters give another end.
  BOOST_REQUIRE(bool(write_file(path() / "other.npz", tiny_model())));
  run(importing("other.npz", "other"));
  const std::string other = "checkpoint.directory=" + file("other");
  BOOST_TEST(trained({"--resume", "--set", other, "--set", "epochs=2"}) != anew);
}

BOOST_AUTO_TEST_CASE(exports_of_imports_are_identical) {
  run({"train", job.file().string(), "--set", "epochs=2"});
  const std::string from = job.checkpoints().string();
  for (const std::string format : {".safetensors", ".npz"}) {
    const auto name = [&](const std::string& stem) { return stem + format; };
    run({"checkpoint", "export", from, file(name("first")), "--slots"});
    const std::string told = run(importing(name("first"), name("a"), {"--json"}));
    BOOST_TEST(told.find(R"("iteration":0,"term":1,"imported":["0.weight",)") != told.npos);
    BOOST_TEST(told.find(R"("initial":[])") != told.npos);
    run({"checkpoint", "export", file(name("a")) + "@0", file(name("second")), "--slots"});
    run(importing(name("second"), name("b")));
    run({"checkpoint", "export", file(name("b")), file(name("third")), "--slots"});
    BOOST_TEST((read(name("second")) == read(name("third"))));
    // Iteration and accuracy are told differently, the numbers are the same.
    const auto one = (*tools::tensor_file_format(name("x")))->read(path() / name("first"));
    const auto two = (*tools::tensor_file_format(name("x")))->read(path() / name("second"));
    BOOST_REQUIRE((*one)->tensors().size() == 8u);
    for (std::size_t i = 0; i < 8; ++i) {
      const auto count = *tools::numbers_in((*one)->tensors()[i].shape);
      BOOST_TEST((*one)->tensors()[i].name == (*two)->tensors()[i].name);
      BOOST_TEST((*numbers_of(**one, i, count) == *numbers_of(**two, i, count)));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_told_and_nothing_is_written) {
  auto tensors = tiny_model();
  tensors[0].name = "fc.weight";
  std::swap(tensors[2].shape[0], tensors[2].shape[1]);
  BOOST_REQUIRE(bool(write_file(path() / "odd.npz", tensors)));
  BOOST_TEST(refuses(*this, importing("odd.npz", "runs"), 2, "\"1.weight\" has shape [10, 256]"));
  BOOST_TEST(refuses(*this, importing("odd.npz", "runs", {"--map", "fc.weigth=0.weight"}), 2,
                     "did you mean \"fc.weight\"?"));
  BOOST_TEST(refuses(*this, importing("absent.npz", "runs"), 4, "absent.npz"));
  BOOST_TEST(refuses(*this, importing("odd.npz", "runs", {"--node", "a/b"}), 2, "--node"));
  write("broken.npz", "PK\x05\x06");
  BOOST_TEST(refuses(*this, importing("broken.npz", "runs"), 9, "broken.npz"));
  BOOST_TEST(!fs::exists(path() / "runs"));
  run(importing(
      "odd.npz", "runs",
      {"--map", "fc.weight=0.weight", "--only", "fc.*", "--only", "0.*", "--allow-missing"}));
  BOOST_TEST(fs::exists(path() / "runs" / "head"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/job_beginning.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/newest_valid.hpp"
#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime;
using namespace slime::tools;

namespace job_beginning_test {

/// Tensors whose numbers are all the same.
class ConstantTensors final : public TensorFileReader {
 public:
  ConstantTensors(std::vector<FileTensor> tensors, float number)
      : tensors_(std::move(tensors)), number_(number) {}

  std::span<const FileTensor> tensors() const override { return tensors_; }
  Result<std::unique_ptr<NumberStream>> open(std::size_t) const override {
    return std::unique_ptr<NumberStream>(std::make_unique<Stream>(number_));
  }

 private:
  class Stream final : public NumberStream {
   public:
    explicit Stream(float number) : number_(number) {}
    Status read(std::span<float> out) override {
      std::ranges::fill(out, number_);
      return ok();
    }

   private:
    float number_;
  };

  std::vector<FileTensor> tensors_;
  float number_;
};

struct Beginning : slime::tests::TempDir, slime::tests::Terminal {
  Beginning() {
    options.directory = path() / "runs";
    options.job = job.file();
    options.json = true;
  }
  ExitCode begin(const std::vector<FileTensor>& tensors, float number = 0.5F) {
    out.str("");
    err.str("");
    return begin_job({out, err, environment}, "checkpoint restore", options,
                     {"checkpoint", "elsewhere@3", [&] {
                        return std::unique_ptr<TensorFileReader>(
                            std::make_unique<ConstantTensors>(tensors, number));
                      }});
  }

  const slime::tests::TinyJob job{*this};
  JobBeginning options;
  const std::vector<FileTensor> whole{{"0.weight", {64, 256}, ""},
                                      {"0.bias", {256}, ""},
                                      {"1.weight", {256, 10}, ""},
                                      {"1.bias", {10}, ""}};
};

}  // namespace job_beginning_test

BOOST_FIXTURE_TEST_SUITE(job_beginning_test, Beginning)

BOOST_AUTO_TEST_CASE(the_first_checkpoint_has_what_was_taken_and_initial_values) {
  BOOST_TEST((begin(whole) == ExitCode::ok));
  BOOST_TEST(says(R"("iteration":0,"term":1,"imported":["0.weight","0.bias","1.weight",)"));
  options.allow_missing = true;
  BOOST_TEST((begin({whole[1]}) == ExitCode::ok));
  BOOST_TEST(says(R"("term":2,"imported":["0.bias"],"initial":["0.weight","1.weight",)"));
  const auto newest = storage::newest_valid(options.directory, "head");
  BOOST_REQUIRE(bool(newest));
  newest->manifest.read([](schema::CheckpointManifest::Reader read) {
    BOOST_TEST(read.getJob().getName().cStr() == "tiny");
    BOOST_TEST(read.getIteration() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_told_of_its_source_and_nothing_is_written) {
  BOOST_TEST((begin({whole[0], whole[1], whole[2]}) == ExitCode::usage));
  BOOST_TEST(says("elsewhere@3: the checkpoint does not fit the job's model"));
  options.maps = {"2.bias=1.bias"};
  BOOST_TEST((begin(whole) == ExitCode::usage));
  BOOST_TEST(says("there is no tensor \\\"2.bias\\\" in the checkpoint"));
  options.maps = {"nonsense"};
  BOOST_TEST((begin(whole) == ExitCode::usage));
  options.maps.clear();
  options.node = "a/b";
  BOOST_TEST((begin(whole) == ExitCode::usage));
  options.node = "head";
  BOOST_TEST((begin(whole, std::numeric_limits<float>::infinity()) == ExitCode::corrupt));
  options.job = path() / "absent.toml";
  BOOST_TEST((begin(whole) == ExitCode::not_found));
  BOOST_TEST(!std::filesystem::exists(options.directory));
}

BOOST_AUTO_TEST_SUITE_END()

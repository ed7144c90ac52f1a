#include "trainer/data/formats.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/trainer/data/idx_files.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

namespace formats_test {

using Files = std::vector<std::filesystem::path>;

}  // namespace formats_test

BOOST_FIXTURE_TEST_SUITE(formats_test, IdxFolder)

BOOST_AUTO_TEST_CASE(no_format_takes_missing_files) {
  for (std::string_view format : format_names()) {
    const auto loaded = load_dataset(format, Files{path() / "a", path() / "b"});
    BOOST_REQUIRE(!loaded);
    BOOST_TEST((loaded.error().code == Errc::not_found));
    BOOST_TEST(!load_dataset(format, Files{}));
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_format_is_answered_with_the_known_ones) {
  BOOST_TEST(load_dataset("idxx", Files{}).error().context ==
             "there is no data format \"idxx\"; known: idx; did you mean \"idx\"?");
}

BOOST_AUTO_TEST_CASE(both_sets_are_standardised_by_the_training_set) {
  const Files train{write("a", idx_bytes({2, 1, 2}, 4)), write("b", idx_bytes({2}, 2))};
  const Files test{write("c", idx_bytes({1, 1, 2}, 2)), write("d", idx_bytes({1}, 1))};
  const auto data = load_training_data("idx", train, test);
  BOOST_REQUIRE(bool(data));
  std::vector<float> inputs(2);
  std::vector<std::uint32_t> labels(1);
  data->test.gather(std::vector<std::uint32_t>{0}, inputs, labels);
  const double deviation = std::sqrt(1.25);
  BOOST_TEST(static_cast<double>(inputs[0]) == -1.5 / deviation,
             boost::test_tools::tolerance(1e-6));
  BOOST_TEST(static_cast<double>(inputs[1]) == -0.5 / deviation,
             boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(sets_that_do_not_belong_together_are_refused) {
  const Files train{write("a", idx_bytes({2, 1, 2}, 4)), write("b", idx_bytes({2}, 2))};
  const Files wider{write("c", idx_bytes({2, 1, 3}, 6)), write("d", idx_bytes({2}, 2))};
  const Files more_classes{write("e", idx_bytes({3, 1, 2}, 6)), write("f", idx_bytes({3}, 3))};
  BOOST_TEST(load_training_data("idx", train, wider).error().context ==
             "samples are 1 x 2 in the training set but 1 x 3 in the test set");
  BOOST_TEST(load_training_data("idx", train, more_classes).error().context ==
             "the test set has label 2, the largest in the training set is 1");
  BOOST_TEST(load_training_data("idx", train, Files{}).error().context.starts_with("test set: "));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/checkpoint_verify.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/stored_model.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime::tools;
using slime::tests::Terminal;

namespace checkpoint_verify_test {

struct Verified : slime::tests::StoredModel, Terminal {
  Verified() {
    save({1, 10});
    save({1, 20});
  }
  ExitCode verify(const std::vector<std::string>& more) {
    std::vector<std::string> words{"checkpoint", "verify"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  const std::string folder = directory.string();
};

}  // namespace checkpoint_verify_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_verify_test, Verified)

BOOST_AUTO_TEST_CASE(all_or_one_is_verified) {
  BOOST_TEST((verify({folder}) == ExitCode::ok));
  BOOST_TEST(says("iteration 10 (term 1): whole"));
  BOOST_TEST(says("iteration 20 (term 1): whole"));
  BOOST_TEST((verify({folder, "20"}) == ExitCode::ok));
  BOOST_TEST(!says("iteration 10"));
  const auto job = write("job.toml", "[checkpoint]\ndirectory = \"" + folder + "\"\n").string();
  BOOST_TEST((verify({job, "--json"}) == ExitCode::ok));
  BOOST_TEST(says("{\"ok\":true,\"stores\":["));
}

BOOST_AUTO_TEST_CASE(failures_end_with_their_codes) {
  BOOST_TEST((verify({}) == ExitCode::usage));
  BOOST_TEST((verify({folder, "bst"}) == ExitCode::usage));
  BOOST_TEST((verify({folder, "11"}) == ExitCode::not_found));
  BOOST_TEST((verify({"/nowhere"}) == ExitCode::not_found));
  std::filesystem::remove_all(directory / "aside");
  BOOST_TEST((verify({folder, "--json"}) == ExitCode::corrupt));
  BOOST_TEST(says("{\"ok\":false,"));
  BOOST_TEST((verify({folder, "10"}) == ExitCode::corrupt));
  BOOST_TEST(says("iteration 10 (term 1): damaged\n  store aside, part part/"));
}

BOOST_AUTO_TEST_SUITE_END()

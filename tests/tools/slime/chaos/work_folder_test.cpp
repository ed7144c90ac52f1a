#include "tools/slime/chaos/work_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(work_folder_test, tests::TempDir)

BOOST_AUTO_TEST_CASE(a_folder_of_its_own_goes_unless_it_is_kept) {
  std::filesystem::path gone, kept;
  {
    auto one = WorkFolder::create({});
    auto two = WorkFolder::create({});
    BOOST_REQUIRE((one && two));
    gone = one->path();
    kept = two->path();
    BOOST_TEST(gone != kept);
    std::filesystem::create_directories(gone / "logs");
    two->keep();
    const WorkFolder moved = std::move(*one);
    BOOST_TEST(std::filesystem::exists(gone));
  }
  BOOST_TEST(!std::filesystem::exists(gone));
  BOOST_TEST(std::filesystem::remove_all(kept) == 1U);
}

BOOST_AUTO_TEST_CASE(one_in_memory_is_like_any_other) {
  std::filesystem::path made;
  {
    const auto folder = WorkFolder::create_in_memory();
    BOOST_REQUIRE(bool(folder));
    made = folder->path();
    BOOST_TEST(std::filesystem::is_directory(made));
    BOOST_TEST(!folder->kept());
  }
  BOOST_TEST(!std::filesystem::exists(made));
}

BOOST_AUTO_TEST_CASE(a_folder_that_was_named_stays) {
  {
    const auto folder = WorkFolder::create(path() / "a" / "b");
    BOOST_REQUIRE(bool(folder));
    BOOST_TEST(folder->kept());
    BOOST_TEST(folder->path() == path() / "a" / "b");
  }
  BOOST_TEST(std::filesystem::exists(path() / "a" / "b"));
}

BOOST_AUTO_TEST_CASE(a_folder_with_something_in_it_is_refused_and_left_as_it_is) {
  write("mine", "precious");
  BOOST_TEST((WorkFolder::create(path()).error().code == Errc::already_exists));
  BOOST_TEST((WorkFolder::create(path() / "mine").error().code == Errc::io_error));
  BOOST_TEST(read("mine") == "precious");
}

BOOST_AUTO_TEST_SUITE_END()

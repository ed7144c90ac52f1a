#include "tools/slime/run_folder.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <iterator>

#include "tests/support/temp_dir.hpp"

using namespace slime::tests;
using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(run_folder_test, TempDir)

BOOST_AUTO_TEST_CASE(it_is_its_users_alone_and_goes_with_its_object) {
  std::filesystem::path where;
  {
    const auto folder = RunFolder::create({{"XDG_RUNTIME_DIR", path().string()}});
    BOOST_REQUIRE(bool(folder));
    where = folder->path();
    BOOST_TEST(where.parent_path() == path());
    struct stat status {};
    BOOST_REQUIRE(::stat(where.c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777) == 0700U);
    std::filesystem::create_directories(where / "logs" / "deeper");
  }
  BOOST_TEST(!std::filesystem::exists(where));
}

BOOST_AUTO_TEST_CASE(what_a_killed_owner_left_goes_with_the_next_run_and_a_living_ones_stays) {
  const Environment environment{{"XDG_RUNTIME_DIR", path().string()}};
  const auto living = RunFolder::create(environment);
  BOOST_REQUIRE(bool(living));
  const pid_t owner = ::fork();
  if (owner == 0) {
    const auto folder = RunFolder::create(environment);
    if (folder) std::filesystem::create_directories(folder->path() / "logs" / "deeper");
    ::kill(::getpid(), SIGKILL);
  }
  BOOST_REQUIRE(::waitpid(owner, nullptr, 0) == owner);
  const auto folders = [this] {
    return std::distance(std::filesystem::directory_iterator(path()), {});
  };
  std::filesystem::create_directory(path() / "another's");
  BOOST_TEST(folders() == 3);
  const auto next = RunFolder::create(environment);
  BOOST_REQUIRE(bool(next));
  BOOST_TEST(folders() == 3);
  BOOST_TEST(std::filesystem::exists(living->path()));
  BOOST_TEST(std::filesystem::exists(next->path()));
  BOOST_TEST(std::filesystem::exists(path() / "another's"));
}

BOOST_AUTO_TEST_CASE(its_path_leaves_room_for_a_sockets_name) {
  for (const std::string& parent :
       {std::string("/no/such/folder"), std::string(200, 'x'), path().string() + "/absent"}) {
    const auto folder = RunFolder::create({{"XDG_RUNTIME_DIR", parent}});
    BOOST_REQUIRE(bool(folder));
    BOOST_TEST(folder->path().parent_path() == "/tmp");
  }
  BOOST_TEST(RunFolder::create({})->path().string().size() < 80U);
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/run_folder.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

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

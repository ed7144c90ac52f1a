#include "tools/bench/scratch_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <string>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::bench;

BOOST_AUTO_TEST_SUITE(scratch_folder_test)

BOOST_AUTO_TEST_CASE(it_is_there_until_it_goes) {
  std::filesystem::path path;
  {
    const ScratchFolder scratch;
    path = scratch.path();
    std::ofstream(path / "file") << "text";
    std::filesystem::create_directories(path / "deep" / "er");
    BOOST_TEST(std::filesystem::exists(path / "file"));
  }
  BOOST_TEST(!std::filesystem::exists(path));
}

// Goal: Ctrl-C leaves nothing behind, though somebody is writing at that moment. Method: a process
// of its own, which says where its folder is.
BOOST_AUTO_TEST_CASE(a_signal_takes_it_along) {
  for (const int signal : {SIGINT, SIGTERM}) {
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    const ::pid_t child = ::fork();
    if (child == 0) {
      const ScratchFolder scratch;
      std::ofstream(scratch.path() / "file") << "text";
      const std::string path = scratch.path();
      if (::write(ends[1], path.c_str(), path.size() + 1) < 0) ::_exit(99);
      for (std::uint64_t i = 0;; ++i) {
        const auto deep = scratch.path() / std::to_string(i % 50);
        std::error_code gone;
        std::filesystem::create_directory(deep, gone);
        std::ofstream(deep / "file") << "text";
      }
    }
    char path[4096] = "";
    BOOST_REQUIRE(::read(ends[0], path, sizeof path - 1) > 0);
    BOOST_TEST(std::filesystem::exists(path));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == 128 + signal);
    BOOST_TEST(!std::filesystem::exists(path));
    BOOST_TEST(!std::filesystem::exists(std::string(path) + "-leaving"));
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

BOOST_FIXTURE_TEST_CASE(too_little_room_is_told, tests::TempDir) {
  BOOST_TEST(bool(check_room(path(), 4096)));
  const Status none = check_room(path(), ~std::uint64_t{0});
  BOOST_REQUIRE(!none);
  BOOST_TEST((none.error().code == Errc::overloaded));
  for (const std::string& part : {path().string(), std::string("GiB free"), std::string("TMPDIR")})
    BOOST_TEST(none.error().context.find(part) != std::string::npos, none.error().context);
  BOOST_TEST((check_room(path() / "none", 1).error().code == Errc::io_error));
}

BOOST_AUTO_TEST_SUITE_END()

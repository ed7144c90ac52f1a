#include "storage/write_fence.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

BOOST_FIXTURE_TEST_SUITE(write_fence_test, tests::TempDir)

BOOST_AUTO_TEST_CASE(a_fence_only_rises_and_outlives_its_writer) {
  {
    WriteFence fence = WriteFence::read(path());
    BOOST_TEST(fence.term() == 0u);
    BOOST_TEST(bool(fence.raise(7)));
    BOOST_TEST(bool(fence.raise(3)));
    BOOST_TEST(fence.term() == 7u);
  }
  WriteFence next = WriteFence::read(path());
  BOOST_TEST(next.term() == 7u);
  BOOST_TEST(bool(next.raise(18'446'744'073'709'551'615u)));
  BOOST_TEST(WriteFence::read(path()).term() == 18'446'744'073'709'551'615u);
}

// Goal: no flipped bit shuts out whoever is right. Method: every bit of the file, one at a time.
BOOST_AUTO_TEST_CASE(a_damaged_fence_refuses_nobody_and_is_mended) {
  BOOST_REQUIRE(bool(WriteFence::read(path()).raise(12)));
  const std::string whole = read("FENCE");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write("FENCE", damaged);
    BOOST_TEST(WriteFence::read(path()).term() == 0u);
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write("FENCE", whole.substr(0, length));
    BOOST_TEST(WriteFence::read(path()).term() == 0u);
  }
  BOOST_TEST(bool(WriteFence::read(path()).raise(12)));
  BOOST_TEST(read("FENCE") == whole);
}

// Method: a folder that comes to be later.
BOOST_AUTO_TEST_CASE(a_fence_that_cannot_be_kept_holds_for_its_writer) {
  WriteFence fence = WriteFence::read(path() / "later");
  for (int i = 0; i < 2; ++i) {
    const Status raised = fence.raise(3);
    BOOST_REQUIRE(!raised);
    BOOST_TEST((raised.error().code == Errc::io_error));
    BOOST_TEST(fence.term() == 3u);
  }
  std::filesystem::create_directory(path() / "later");
  BOOST_TEST(bool(fence.raise(2)));
  BOOST_TEST(WriteFence::read(path() / "later").term() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

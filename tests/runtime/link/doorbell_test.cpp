#include "runtime/link/doorbell.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(doorbell_test)

BOOST_AUTO_TEST_CASE(what_throws_is_reported_and_the_rest_is_run) {
  Doorbell bell;
  std::vector<std::string> done;
  bell.post([&] { done.emplace_back("first"); });
  bell.post([] { throw std::runtime_error("out of paint"); });
  bell.post([] { throw 42; });
  bell.post([&] { done.emplace_back("last"); });
  std::vector<std::string> failures;
  bell.run_posted([&](const char* what) { failures.emplace_back(what); });
  BOOST_TEST(done == (std::vector<std::string>{"first", "last"}), boost::test_tools::per_element());
  BOOST_REQUIRE(failures.size() == 2u);
  BOOST_TEST(failures[0] == "out of paint");
}

BOOST_AUTO_TEST_SUITE_END()

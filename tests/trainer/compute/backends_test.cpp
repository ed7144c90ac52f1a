#include "trainer/compute/backends.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(backends_test)

BOOST_AUTO_TEST_CASE(auto_falls_back_to_the_cpu) {
  auto backend = make_backend("auto");
  BOOST_REQUIRE(bool(backend));
  BOOST_TEST((*backend)->description().starts_with("cpu: OpenBLAS"));
}

BOOST_AUTO_TEST_CASE(every_listed_backend_works_or_says_why_not) {
  for (std::string_view name : backend_names()) {
    auto backend = make_backend(name);
    if (backend) {
      BOOST_TEST((*backend)->description().starts_with(name));
    } else {
      BOOST_TEST((backend.error().code == Errc::invalid_argument));
      BOOST_TEST(backend.error().context.find(name) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_device_is_answered_with_the_known_ones) {
  const auto backend = make_backend("cpuu");
  BOOST_REQUIRE(!backend);
  BOOST_TEST(backend.error().context ==
             "there is no device \"cpuu\"; known: cuda cpu auto; did you mean \"cpu\"?");
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/tensor_listing.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(tensor_listing_test)

BOOST_AUTO_TEST_CASE(sizes_are_products_that_cannot_overflow) {
  BOOST_TEST(*numbers_in(std::vector<std::uint64_t>{}) == 1u);
  BOOST_TEST(*numbers_in(std::vector<std::uint64_t>{3, 4}) == 12u);
  BOOST_TEST(*numbers_in(std::vector<std::uint64_t>{0, ~0ull}) == 0u);
  BOOST_TEST(!numbers_in(std::vector<std::uint64_t>{1ull << 32, 1ull << 32}));
}

BOOST_AUTO_TEST_CASE(a_name_is_a_text_and_stands_once) {
  TensorListing listing;
  BOOST_TEST(bool(listing.add({"0.weight", {2}, ""})));
  for (const std::string& name :
       {std::string("0.weight"), std::string(), std::string("a\nb"), std::string("\xff"),
        std::string("a\0b", 3), std::string(TensorListing::name_bytes_max + 1, 'x')}) {
    const Status added = listing.add({name, {2}, ""});
    BOOST_REQUIRE(!added);
    BOOST_TEST((added.error().code == Errc::corruption));
  }
  BOOST_TEST(listing.tensors().size() == 1u);
}

BOOST_AUTO_TEST_CASE(impossible_shapes_are_refused) {
  TensorListing listing;
  BOOST_TEST(!listing.add({"a", {1ull << 40, 1ull << 40}, ""}));
  BOOST_TEST(!listing.add({"b", std::vector<std::uint64_t>(33, 1), ""}));
}

BOOST_AUTO_TEST_CASE(a_list_has_a_bound) {
  TensorListing listing;
  for (std::size_t i = 0; i < TensorListing::tensors_max; ++i)
    BOOST_REQUIRE(bool(listing.add({std::to_string(i), {}, ""})));
  BOOST_TEST(!listing.add({"one more", {}, ""}));
}

BOOST_AUTO_TEST_CASE(advice_is_short_however_many_there_are) {
  const std::vector<std::string> few{"0.weight", "0.bias"};
  BOOST_TEST(tensor_advice("0.wieght", few) == "did you mean \"0.weight\"?");
  BOOST_TEST(tensor_advice("convolution", few) == "there are 0.weight, 0.bias");
  BOOST_TEST(tensor_advice("a", {}) == "there is none");
  const std::vector<std::string> many(50'000, "0.weight");
  BOOST_TEST(tensor_advice("convolution", many).ends_with(" and 49994 more"));
}

BOOST_AUTO_TEST_SUITE_END()

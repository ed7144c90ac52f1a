#include "tools/slime/exchange/safetensors_header.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

namespace safetensors_header_test {

std::string tensor(const std::string& name, const std::string& fields) {
  return "\"" + name + "\":{" + fields + "}";
}

const std::string two = tensor("a", R"("dtype":"F32","shape":[2],"data_offsets":[0,8])") + "," +
                        tensor("b", R"("dtype":"F16","shape":[3,1],"data_offsets":[8,14])");

bool refuses(const std::string& json, std::uint64_t bytes) {
  const auto read = read_safetensors_header(json, bytes);
  return !read && read.error().code == Errc::corruption;
}

}  // namespace safetensors_header_test

BOOST_AUTO_TEST_SUITE(safetensors_header_test)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_and_aligned) {
  const std::vector<trainer::TensorInfo> tensors{{"0.weight", {2, 3}, 0, 6}, {"b\"\\", {}, 6, 1}};
  const std::string written = safetensors_header(tensors, {{"job", "a \"b\""}});
  BOOST_TEST(written.size() % 8 == 0u);
  BOOST_TEST(written[8] == '{');
  const auto read = read_safetensors_header(std::string_view(written).substr(8), 28);
  BOOST_REQUIRE(bool(read));
  BOOST_REQUIRE(read->tensors.size() == 2u);
  BOOST_TEST(read->tensors[1].name == "b\"\\");
  BOOST_TEST(read->tensors[0].shape == (std::vector<std::uint64_t>{2, 3}));
  BOOST_TEST((read->places[0].format == NumberFormat::float32));
  BOOST_TEST(read->places[1].first == 24u);
}

BOOST_AUTO_TEST_CASE(tensors_may_stand_in_any_order_and_have_other_types) {
  const auto read = read_safetensors_header(
      "{" + tensor("z", R"("data_offsets":[14,22],"shape":[1],"dtype":"I64")") + "," + two + "}",
      22);
  BOOST_REQUIRE(bool(read));
  BOOST_TEST(read->tensors[0].objection.find("I64") != std::string::npos);
  BOOST_TEST(!read->places[0].format);
  BOOST_TEST(read->tensors[1].objection == "");
  BOOST_TEST((read->places[2].format == NumberFormat::float16));
}

BOOST_AUTO_TEST_CASE(places_that_overlap_or_leave_gaps_are_refused) {
  BOOST_TEST(!refuses("{" + two + "}", 14));
  BOOST_TEST(refuses("{" + two + "}", 13));
  BOOST_TEST(refuses("{" + two + "}", 15));
  const auto beside = [](const std::string& offsets) {
    return "{" + two + "," + tensor("c", R"("dtype":"F32","shape":[1],"data_offsets":)" + offsets) +
           "}";
  };
  BOOST_TEST(!refuses(beside("[14,18]"), 18));
  BOOST_TEST(refuses(beside("[10,14]"), 14));
  BOOST_TEST(refuses(beside("[15,19]"), 19));
  BOOST_TEST(refuses(beside("[18,14]"), 18));
  BOOST_TEST(refuses(beside("[14,17]"), 17));
  BOOST_TEST(refuses(beside("[14]"), 18));
  BOOST_TEST(refuses(beside("[-4,0]"), 14));
  BOOST_TEST(refuses(beside("[14,18.5]"), 18));
  BOOST_TEST(refuses(beside("[14,1e300]"), 18));
}

BOOST_AUTO_TEST_CASE(headers_that_are_none_are_refused) {
  for (const std::string& json :
       {std::string(), std::string("{"), std::string("[]"), std::string("{\"a\":1}"),
        std::string("{\"a\":{}}"), "{" + two + "," + two + "}", "{" + two + "}x",
        "{" + tensor("a", R"("dtype":"F32","shape":[2],"shape":[2])") + "}",
        "{" + tensor("a", R"("dtype":"F32","shape":["x"],"data_offsets":[0,14])") + "}",
        "{" + tensor("", R"("dtype":"F32","shape":[],"data_offsets":[0,4])") + "}",
        std::string("{\"__metadata__\":{},\"__metadata__\":{}}"), std::string(100'000, '['),
        "{\"a\":" + std::string(100'000, '[')})
    BOOST_TEST(refuses(json, 14), json.substr(0, 80));
}

BOOST_AUTO_TEST_CASE(sizes_that_overflow_are_refused) {
  BOOST_TEST(refuses("{" +
                         tensor("a", R"("dtype":"F64","shape":[4294967296,4294967296,2],)"
                                     R"("data_offsets":[0,0])") +
                         "}",
                     0));
}

BOOST_AUTO_TEST_SUITE_END()

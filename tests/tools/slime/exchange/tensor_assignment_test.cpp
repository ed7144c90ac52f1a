#include "tools/slime/exchange/tensor_assignment.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

namespace tensor_assignment_test {

using Sources = std::vector<std::optional<std::size_t>>;

/// A model with one slot for each parameter.
const std::vector<CheckpointTensor> model = checkpoint_tensors(
    std::vector<trainer::TensorInfo>{{"0.weight", {64, 10}, 0, 640}, {"0.bias", {10}, 640, 10}}, 1);

const FileTensor weight{"0.weight", {64, 10}, ""}, bias{"0.bias", {10}, ""};

std::string refusal(const std::vector<FileTensor>& found, const AssignmentRules& rules = {}) {
  const auto sources = assign_tensors(found, model, rules);
  BOOST_REQUIRE(!sources);
  BOOST_TEST((sources.error().code == Errc::invalid_argument));
  return sources.error().context;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tensor_assignment_test

BOOST_AUTO_TEST_SUITE(tensor_assignment_test)

BOOST_AUTO_TEST_CASE(tensors_are_found_by_name_in_any_order_and_slots_may_be_absent) {
  BOOST_TEST((*assign_tensors(std::vector{bias, weight}, model, {}) ==
              Sources{1, 0, std::nullopt, std::nullopt}));
  const FileTensor slot{"0.bias.slot_0", {10}, ""};
  BOOST_TEST((*assign_tensors(std::vector{weight, bias, slot}, model, {}) ==
              Sources{0, 1, std::nullopt, 2}));
}

BOOST_AUTO_TEST_CASE(other_names_are_mapped) {
  const FileTensor foreign{"fc.weight", {64, 10}, ""};
  AssignmentRules rules{{{"fc.weight", "0.weight"}}, {}, false};
  BOOST_TEST(*(*assign_tensors(std::vector{foreign, bias}, model, rules))[0] == 0u);
  rules.renames = {{"fc.wieght", "0.weight"}};
  BOOST_TEST(holds(refusal({foreign, bias}, rules), "did you mean \"fc.weight\"?"));
  rules.renames = {{"fc.weight", "0.wieght"}};
  BOOST_TEST(holds(refusal({foreign, bias}, rules), "did you mean \"0.weight\"?"));
  rules.renames = {{"fc.weight", "0.weight"}, {"fc.weight", "0.bias"}};
  BOOST_TEST(holds(refusal({foreign, bias}, rules), "mapped twice"));
  rules.renames = {{"fc.weight", "0.weight"}};
  BOOST_TEST(holds(refusal({weight, bias, foreign}, rules), "would be \"0.weight\""));
}

BOOST_AUTO_TEST_CASE(each_mismatch_is_told_with_what_was_found_and_wanted) {
  const std::string all = refusal({{"0.weight", {10, 64}, ""}, {"0.bais", {10}, ""}});
  BOOST_TEST(
      holds(all, "\"0.weight\" has shape [10, 64] in the file, and \"0.weight\" has [64, 10]"));
  BOOST_TEST(holds(all, "transpose"));
  BOOST_TEST(holds(all, "\"0.bais\" is not in the model; did you mean \"0.bias\"?"));
  BOOST_TEST(holds(all, "\"0.bias\" of shape [10] is not in the file; did you mean \"0.bais\"?"));
  BOOST_TEST(holds(refusal({{"0.weight", {64, 10}, "it is encrypted"}, bias}), "it is encrypted"));
  std::vector<FileTensor> many;
  for (int i = 0; i < 1000; ++i) many.push_back({std::to_string(i), {1}, ""});
  BOOST_TEST(holds(refusal(many), "and 994 more"));
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_left_aside_needs_leave) {
  BOOST_TEST(holds(refusal({weight}), "--allow-missing"));
  AssignmentRules rules{{}, {}, true};
  BOOST_TEST((*assign_tensors(std::vector{weight}, model, rules))[1].has_value() == false);
  rules.only = NameGlobs({"0.b*"});
  const FileTensor step{"step", {}, "its numbers are of type I64"};
  BOOST_TEST((*assign_tensors(std::vector{step, weight, bias}, model, rules) ==
              Sources{std::nullopt, 2, std::nullopt, std::nullopt}));
  rules.only = NameGlobs({"1.*"});
  BOOST_TEST(holds(refusal({weight, bias}, rules), "no tensor is called \"1.*\""));
}

BOOST_AUTO_TEST_CASE(renames_are_cut_at_the_last_sign) {
  BOOST_TEST((*parse_rename("a=b=0.bias") == std::pair<std::string, std::string>("a=b", "0.bias")));
  for (const char* text : {"", "a", "=a", "a="})
    BOOST_TEST((parse_rename(text).error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()

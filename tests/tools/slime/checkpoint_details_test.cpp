#include "tools/slime/checkpoint_details.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/pins.hpp"
#include "tests/tools/slime/stored_model.hpp"

using namespace slime;
using namespace slime::tools;
namespace fs = std::filesystem;

namespace checkpoint_details_test {

struct TwoCheckpoints : slime::tests::StoredModel {
  TwoCheckpoints() {
    save({1, 10}, 0.5);
    model.values[0] += 1;
    save({1, 20});
  }

  CheckpointDetails details(const char* which) const {
    return read_details(choose_checkpoint(directory, which).value()).value();
  }
};

constexpr std::uint64_t block_bytes = 65'536;

}  // namespace checkpoint_details_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_details_test, TwoCheckpoints)

BOOST_AUTO_TEST_CASE(tensors_parts_and_what_they_share_are_told) {
  const CheckpointDetails found = details("newest");
  BOOST_TEST((found.id == storage::CheckpointId{1, 20}));
  BOOST_TEST(found.head == "head");
  BOOST_TEST(found.job == "stored");
  BOOST_TEST(found.samples == 1'280u);
  BOOST_TEST((found.tensors == tensors));
  BOOST_TEST(found.parameters() == model.values.size());
  BOOST_TEST(found.bytes() == 2 * model.values.size() * sizeof(float));
  BOOST_TEST(found.slots().value() == 1u);
  BOOST_TEST(found.readable());
  BOOST_REQUIRE(found.parts.size() == 2u);
  BOOST_TEST(found.parts[0].own_bytes == block_bytes);
  BOOST_TEST(found.parts[0].shared_bytes == 3 * block_bytes);
  BOOST_TEST(found.parts[1].store == "aside");
  BOOST_TEST(found.parts[1].first == first_shard);
  BOOST_TEST(found.parts[1].own_bytes == 0u);
}

BOOST_AUTO_TEST_CASE(people_and_scripts_read_the_same) {
  const std::string text = details_text(details("10"));
  for (const char* part :
       {"iteration 10 (term 1), its manifest in store head\n", "\"stored\", mode bsp",
        "2023-11-14 22:13:20 UTC by slime 1.2.3", "epoch 2, 640 samples used, 10 updates applied",
        "accuracy   0.5000", "37510 parameters in 4 tensors, 300080 bytes in 2 parts",
        "sgd, 1 slots of each parameter", "0.weight         [64, 500]", "1.bias           [10]"})
    BOOST_TEST(text.find(part) != std::string::npos, part << " in " << text);
  const std::string json = details_json(details("10"));
  BOOST_TEST(
      json.starts_with(R"({"ok":true,"iteration":10,"term":1,"store":"head","pinned":false,)"
                       R"("job":"stored","mode":"bsp","epoch":2,"samples":640,)"
                       R"("version":10,"accuracy":0.5,"wall_time_us":1700000000000000,)"
                       R"("slime_version":"1.2.3","parameters":37510,"bytes":300080,)"
                       R"("optimizer":"sgd","slots":1,"tensors":[{"name":"0.weight",)"
                       R"("shape":[64, 500],"first":0,"parameters":32000,"bytes":128000},)"));
  BOOST_TEST(json.find(R"("bytes":262144,"own_bytes":262144,"shared_bytes":0},{"store":"aside")") !=
             std::string::npos);
  BOOST_TEST(details_text(details("20")).find("not measured") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pin_is_told) {
  BOOST_REQUIRE(bool(storage::pin_checkpoint(directory, {1, 10})));
  BOOST_TEST(details("10").pinned);
  BOOST_TEST(!details("20").pinned);
  BOOST_TEST(details_text(details("10"))
                 .starts_with("iteration 10 (term 1), its manifest in store head; pinned\n"));
}

BOOST_AUTO_TEST_CASE(a_lost_part_is_told_and_the_rest_is_shown) {
  fs::remove_all(directory / "aside");
  const CheckpointDetails found = details("newest");
  BOOST_TEST(!found.readable());
  BOOST_TEST(!found.parts[0].damage);
  BOOST_REQUIRE(bool(found.parts[1].damage));
  BOOST_TEST((found.parts[1].damage->code == Errc::corruption));
  BOOST_TEST(found.slots().value() == 1u);
  BOOST_TEST(details_json(found).starts_with("{\"ok\":false,"));
  BOOST_TEST(details_text(found).find("aside: the folder holds no store") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

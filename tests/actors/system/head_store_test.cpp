#include "actors/system/head_store.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "runtime/wire/message.hpp"
#include "schemas/head.capnp.h"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tests;
using actors::HeadStore;
using actors::KeptChange;

namespace head_store_test {

constexpr NodeId fresh{1, 2}, other{3, 4};

struct Folder : TempDir {
  std::unique_ptr<HeadStore> open(NodeId node, std::int64_t now_us) const {
    return HeadStore::open(path() / "head", node, now_us).value();
  }
  static runtime::Words words(const std::string& text) {
    return runtime::Message<schema::KeptHead>::make([&](auto root) { root.setToken(text); })
        .words();
  }
  static std::string entries(const HeadStore& store, std::string_view prefix) {
    std::string all;
    BOOST_TEST(bool(store.visit(prefix, [&](std::string_view key, const runtime::Words& state) {
      all += std::string(key) + "=" +
             runtime::Message<schema::KeptHead>::adopt(state).read(
                 [](auto root) { return std::string(root.getToken()); }) +
             " ";
    })));
    return all;
  }
};

}  // namespace head_store_test

BOOST_FIXTURE_TEST_SUITE(head_store_test, Folder)

BOOST_AUTO_TEST_CASE(every_process_is_the_same_head_in_a_later_incarnation) {
  {
    const auto first = open(fresh, 1000);
    BOOST_TEST(!first->found());
    BOOST_TEST((first->identity().node == fresh));
    BOOST_TEST(first->identity().incarnation == 1000u);
    BOOST_TEST(bool(first->remember("secret", {"tcp:127.0.0.1:4711", "unix:/somewhere"})));
  }
  // The clock went back.
  const auto second = open(other, 10);
  BOOST_TEST(second->found());
  BOOST_TEST((second->identity().node == fresh));
  BOOST_TEST(second->identity().incarnation == 1001u);
  BOOST_TEST(second->identity().token == "secret");
  BOOST_TEST((second->identity().endpoints ==
              std::vector<std::string>{"tcp:127.0.0.1:4711", "unix:/somewhere"}));
}

BOOST_AUTO_TEST_CASE(what_is_written_is_there_for_the_next_process) {
  {
    const auto store = open(fresh, 1000);
    const KeptChange changes[] = {{"a/2", words("two")}, {"a/1", words("one")}, {"b", words("b")}};
    BOOST_TEST(bool(store->write(changes)));
    const KeptChange more[] = {{"a/2", {}}, {"a/3", words("three")}, {"b", words("bee")}};
    BOOST_TEST(bool(store->write(more)));
  }
  const auto store = open(fresh, 2000);
  BOOST_TEST(entries(*store, "a/") == "a/1=one a/3=three ");
  BOOST_TEST(entries(*store, "b") == "b=bee ");
}

BOOST_AUTO_TEST_CASE(two_heads_cannot_keep_their_state_in_one_folder) {
  const auto first = open(fresh, 1000);
  const auto second = HeadStore::open(path() / "head", other, 1000);
  BOOST_REQUIRE(!second);
  BOOST_TEST((second.error().code == Errc::already_exists));
  BOOST_TEST(second.error().context.find((path() / "head").string()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_its_owner_may_look_at_the_token) {
  const auto store = open(fresh, 1000);
  BOOST_TEST((std::filesystem::status(path() / "head").permissions() ==
              std::filesystem::perms::owner_all));
}

// Its mode would keep others from what is in there.
BOOST_AUTO_TEST_CASE(a_folder_of_other_things_is_refused_and_left_alone) {
  std::filesystem::create_directory(path() / "shared");
  write("shared/notes", "for all");
  const auto mode = std::filesystem::status(path() / "shared").permissions();
  const auto store = HeadStore::open(path() / "shared", fresh, 1);
  BOOST_REQUIRE(!store);
  BOOST_TEST((store.error().code == Errc::already_exists));
  BOOST_TEST((std::filesystem::status(path() / "shared").permissions() == mode));
  BOOST_TEST(!std::filesystem::exists(path() / "shared" / "FORMAT"));
}

// Goal: an actor may have any name, and none is taken for what a system actor keeps.
BOOST_AUTO_TEST_CASE(states_of_actors_are_kept_apart_from_those_of_system_actors) {
  {
    const auto store = open(fresh, 1000);
    const storage::StateChange change{"identity", words("a state"), {{"call 1", words("a reply")}}};
    BOOST_REQUIRE(bool(store->put({&change, 1})));
    const KeptChange system{"directory/x", words("bound")};
    BOOST_REQUIRE(bool(store->write({&system, 1})));
  }
  const auto store = open(other, 1000);
  BOOST_TEST((store->identity().node == fresh));
  BOOST_TEST(entries(*store, "directory/") == "directory/x=bound ");
  const auto found = store->get("identity");
  BOOST_REQUIRE(bool(found));
  BOOST_TEST((found->state.as_bytes().size() == words("a state").as_bytes().size()));
  BOOST_REQUIRE(found->replies.size() == 1u);
  BOOST_TEST(found->replies[0].call == "call 1");
  BOOST_TEST((store->get("x").error().code == Errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

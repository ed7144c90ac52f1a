#include "actors/system/directory.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/actors/system/small_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace directory_test {

struct Fixture : SmallCluster {
  Fixture() : worker(add("worker-0")) {}

  Status bind(const std::string& name, const ActorAddress& address, bool replace = false) {
    const auto answer = sim.call(
        directory(), runtime::Message<schema::Register>::make([&](schema::Register::Builder root) {
          root.setName(name);
          runtime::write_address(root.initAddress(), address);
          root.setReplace(replace);
        }));
    if (!answer) return answer.error();
    return ok();
  }
  std::string names(const std::string& prefix) {
    std::string all;
    sim.call(directory(), runtime::Message<schema::ListNames>::make(
                              [&](schema::ListNames::Builder root) { root.setPrefix(prefix); }))
        .value()
        .read([&](schema::Names::Reader root) {
          for (const auto binding : root.getNames()) all += std::string(binding.getName()) + " ";
        });
    return all;
  }

  NodeId worker;
};

}  // namespace directory_test

BOOST_FIXTURE_TEST_SUITE(directory_test, Fixture)

BOOST_AUTO_TEST_CASE(a_name_leads_to_its_actor) {
  const ActorAddress probe = spawn(worker, "probe").value();
  BOOST_REQUIRE(bind("job/coordinator", probe));
  BOOST_TEST((look_up("job/coordinator").value() == probe));
  BOOST_TEST((look_up("job").error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_bound_name_is_replaced_only_on_demand) {
  const ActorAddress first = spawn(worker, "probe").value();
  const ActorAddress second = spawn(worker, "probe").value();
  BOOST_REQUIRE(bind("name", first));
  BOOST_TEST(bool(bind("name", first)));
  BOOST_TEST((bind("name", second).error().code == Errc::already_exists));
  BOOST_TEST((look_up("name").value() == first));
  BOOST_TEST(bool(bind("name", second, true)));
  BOOST_TEST((look_up("name").value() == second));
}

BOOST_AUTO_TEST_CASE(a_binding_ends_with_its_actor_and_only_with_it) {
  const ActorAddress first = spawn(worker, "probe").value();
  const ActorAddress second = spawn(worker, "probe").value();
  BOOST_REQUIRE(bind("a", first));
  BOOST_REQUIRE(bind("b", first));
  BOOST_REQUIRE(bind("b", second, true));
  BOOST_REQUIRE(sim.kill_actor(first, Error{Errc::unavailable, "enough"}));
  run(100ms);
  BOOST_TEST(!look_up("a"));
  BOOST_TEST((look_up("b").value() == second));
}

BOOST_AUTO_TEST_CASE(the_names_of_a_dead_node_are_free) {
  BOOST_REQUIRE(bind("a", spawn(worker, "probe").value()));
  sim.kill_node(worker);
  run(6s);
  BOOST_TEST(!look_up("a"));
}

BOOST_AUTO_TEST_CASE(binding_the_dead_does_not_last) {
  const ActorAddress dead = spawn(worker, "probe").value();
  BOOST_REQUIRE(sim.kill_actor(dead, Error{Errc::unavailable, "enough"}));
  run(100ms);
  BOOST_REQUIRE(bind("a", dead));
  run(100ms);
  BOOST_TEST(!look_up("a"));
}

BOOST_AUTO_TEST_CASE(names_are_listed_by_prefix_in_order) {
  const ActorAddress probe = spawn(worker, "probe").value();
  for (const char* name : {"job/b", "job/a", "jo", "job0", "zoo"}) BOOST_REQUIRE(bind(name, probe));
  BOOST_TEST(names("job/") == "job/a job/b ");
  BOOST_TEST(names("") == "jo job/a job/b job0 zoo ");
}

BOOST_AUTO_TEST_CASE(bindings_of_the_living_hold_in_the_next_process_of_the_head) {
  const ActorAddress lives = spawn(worker, "probe").value();
  const ActorAddress ended = spawn(worker, "probe").value();
  const ActorAddress of_the_head = spawn(head, "probe").value();
  BOOST_REQUIRE(bind("lives", ended));
  BOOST_REQUIRE(bind("lives", lives, true));
  BOOST_REQUIRE(bind("ended", ended));
  BOOST_REQUIRE(bind("head", of_the_head));
  sim.kill_node(head);
  // While there is no directory that could notice.
  BOOST_REQUIRE(sim.kill_actor(ended, Error{Errc::unavailable, "enough"}));
  restart_head();
  BOOST_TEST((look_up("lives").value() == lives));
  BOOST_TEST(!look_up("head"));
  run(2s);
  BOOST_TEST(names("") == "lives ");
  BOOST_TEST(kept.entries.contains("directory/lives"));
  BOOST_TEST(!kept.entries.contains("directory/ended"));
  BOOST_TEST(!kept.entries.contains("directory/head"));
}

BOOST_AUTO_TEST_CASE(a_name_that_is_bound_again_at_once_is_not_forgotten) {
  const ActorAddress first = spawn(worker, "probe").value();
  const ActorAddress second = spawn(worker, "probe").value();
  BOOST_REQUIRE(bind("a", first));
  BOOST_REQUIRE(sim.kill_actor(first, Error{Errc::unavailable, "enough"}));
  run(100ms);
  BOOST_REQUIRE(bind("a", second));
  run(5s);
  restart_head();
  BOOST_TEST((look_up("a").value() == second));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_kept_is_not_bound) {
  kept.broken = Error{Errc::io_error, "no space left"};
  BOOST_TEST((bind("a", spawn(worker, "probe").value()).error().code == Errc::io_error));
  run(100ms);
  BOOST_TEST(!sim.alive(directory().address));
}

BOOST_AUTO_TEST_SUITE_END()

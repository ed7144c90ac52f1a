#include "actors/training/job_names.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::actors;

namespace job_names_test {

const JobNames names("mine", RunId{0xbeef});

}  // namespace job_names_test

BOOST_AUTO_TEST_SUITE(job_names_test)

BOOST_AUTO_TEST_CASE(a_name_is_taken_apart_as_it_was_put_together) {
  BOOST_TEST(names.of("checkpointer/a/b") == "job/mine/000000000000beef/checkpointer/a/b");
  const auto parts = names.parts_of(names.of("checkpointer/a/b"));
  BOOST_REQUIRE(parts.has_value());
  BOOST_TEST(parts->own);
  BOOST_TEST(parts->kind == "checkpointer");
  BOOST_TEST(parts->which == "a/b");
}

BOOST_AUTO_TEST_CASE(another_run_of_the_job_has_other_names_with_the_same_beginning) {
  const std::string other = JobNames("mine", RunId{0xbee}).of("shard/3");
  BOOST_TEST(other.starts_with(names.prefix()));
  const auto parts = names.parts_of(other);
  BOOST_REQUIRE(parts.has_value());
  BOOST_TEST(!parts->own);
  BOOST_TEST(parts->kind == "shard");
  BOOST_TEST(parts->which == "3");
}

BOOST_AUTO_TEST_CASE(what_is_no_actor_of_a_run_has_no_parts) {
  for (const std::string name :
       {"job/mine/coordinator", "job/mine/", "job/mine/000000000000beef",
        "job/mine/000000000000beef/", "job/mine/000000000000beef/shard", "job/other/shard/0"})
    BOOST_TEST(!names.parts_of(name).has_value(), name);
}

// Goal: a job whose name begins with that of another keeps its actors.
BOOST_AUTO_TEST_CASE(a_job_with_a_longer_name_is_another_one) {
  for (const std::string longer : {"mine/too", "mine/000000000000beef", "mine2"})
    BOOST_TEST(!names.parts_of(JobNames(longer, RunId{0xbeef}).of("coordinator")).has_value(),
               longer);
}

BOOST_AUTO_TEST_SUITE_END()

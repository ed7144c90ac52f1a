#include "tools/slime/cluster_status.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/one_node_cluster.hpp"
#include "tools/slime/job_client.hpp"
#include "tools/slime/settings/job_settings.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(cluster_status_test)

BOOST_AUTO_TEST_CASE(members_supervised_actors_and_jobs_are_read_from_the_head) {
  const OneNodeCluster cluster({"head"});
  const TinyJob tiny(cluster);
  const Environment environment;
  JobClient client(cluster.access(), "tiny");
  BOOST_REQUIRE(bool(client.submit(read_settings({tiny.file(), environment, {}})->job, false)));

  const auto status = read_status(cluster.access());
  BOOST_REQUIRE(bool(status));
  BOOST_REQUIRE(status->members.size() == 1U);
  BOOST_TEST(status->members[0].name == "head");
  BOOST_TEST(status->members[0].state == "alive");
  BOOST_TEST(status->members[0].pid > 0U);
  BOOST_TEST((status->members[0].roles == std::vector<std::string>{"head"}));
  BOOST_REQUIRE(status->actors.size() == 1U);
  BOOST_TEST(status->actors[0].name == "job/tiny/coordinator");
  BOOST_TEST(status->actors[0].state == "running");
  BOOST_REQUIRE(status->jobs.size() == 1U);
  BOOST_TEST(status->jobs[0].name == "tiny");
  BOOST_TEST(status->jobs[0].state == "starting");
}

BOOST_AUTO_TEST_CASE(people_and_scripts_read_the_same) {
  ClusterStatus status;
  status.members = {{"one", "dead", "silent \"for\" 3 s", {"worker", "shard"}, {"unix:/a"}, 7}};
  status.actors = {{"job/x/coordinator", "running", "head", "it threw", 2}};
  status.jobs = {{"x", "training", "", 3, 10, std::numeric_limits<double>::quiet_NaN(), 1, 2, 1}};
  BOOST_TEST(
      status_json(status) ==
      R"({"ok":true,"members":[{"name":"one","state":"dead","reason":"silent \"for\" 3 s","pid":7,)"
      R"("roles":["worker","shard"],"endpoints":["unix:/a"]}],"actors":[{"name":)"
      R"("job/x/coordinator","state":"running","member":"head","restarts":2,"reason":"it threw"}],)"
      R"("jobs":[{"name":"x","state":"training","failure":"","iteration":3,"iterations":10,)"
      R"("test_accuracy":null,"rollbacks":1,"standbys":2,"takeovers":1,)"
      R"("refused_pushes":0}]})");
  const std::string text = status_text(status);
  for (const char* part : {"one", "dead", "worker,shard", "unix:/a", "silent", "it threw", "3/10"})
    BOOST_TEST(text.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/run_result.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::tools;

namespace run_result_test {

RunResult some_result() {
  RunResult result;
  result.name = "mnist";
  result.mode = "a_dsp";
  result.balance = "adapt_fr";
  result.workers = 2;
  result.shards = 2;
  result.epochs = 8;
  result.iterations = 1880;
  result.samples = 480000;
  result.run_samples = 480000;
  result.seconds = 41.2;
  result.test_accuracy = 0.874;
  result.test_loss = 0.35;
  result.parameters_sha256 = "ab12";
  result.seconds_to_accuracy = {{0.85, 21.0}, {0.99, std::nullopt}};
  result.makespan_ratio = 1.06;
  result.record = "run.jsonl";
  result.workers_detail = {{0, 400000, 0.8333, 0.02}, {1, 80000, 0.1667, 0.01}};
  return result;
}

}  // namespace run_result_test

BOOST_AUTO_TEST_SUITE(run_result_test)

BOOST_AUTO_TEST_CASE(a_script_reads_every_number_from_one_line) {
  BOOST_TEST(
      result_json(some_result()) ==
      R"({"ok":true,"name":"mnist","mode":"a_dsp","balance":"adapt_fr","workers":2,"shards":2,)"
      R"("epochs":8,"iterations":1880,"samples":480000,"seconds":41.2,"test_accuracy":0.874,)"
      R"("test_loss":0.35,"parameters_sha256":"ab12","time_to_accuracy":{"0.85":21,"0.99":null},)"
      R"("makespan_ratio":1.06,"workers_detail":[)"
      R"({"id":0,"samples":400000,"share":0.8333,"idle_fraction":0.02},)"
      R"({"id":1,"samples":80000,"share":0.1667,"idle_fraction":0.01}],"checkpoints":{"late":0,)"
      R"("lost_seconds":null,"write_seconds":null,"interval_seconds":null,)"
      R"("seconds_between_failures":null,"copied":null,"copies_failed":0},"resumed_from":null,)"
      R"("record":"run.jsonl"})");
}

BOOST_AUTO_TEST_CASE(what_does_not_apply_is_null) {
  RunResult result = some_result();
  result.makespan_ratio.reset();
  result.record.clear();
  result.resumed_from = 7;
  const std::string json = result_json(result);
  BOOST_TEST(json.find("\"makespan_ratio\":null") != std::string::npos);
  BOOST_TEST(json.ends_with("\"resumed_from\":7,\"record\":null}"));
}

BOOST_AUTO_TEST_CASE(what_workers_take_of_their_machines_is_told_where_it_is_known) {
  RunResult result = some_result();
  result.workers_detail[1].usage = WorkerUsage{.cpu_seconds = 1.5,
                                               .steal_fraction = 0.25,
                                               .run_queue = 3,
                                               .memory_bytes = 4096,
                                               .bytes_in = 20,
                                               .bytes_out = 10};
  const std::string json = result_json(result);
  BOOST_TEST(json.find(R"("idle_fraction":0.02},)") != std::string::npos);
  BOOST_TEST(json.find(R"("idle_fraction":0.01,"usage":{"cpu_seconds":1.5,"steal_fraction":0.25,)"
                       R"("run_queue":3,"memory_bytes":4096,"bytes_in":20,"bytes_out":10}}])") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_checkpoints_cost_is_told_where_it_is_known) {
  RunResult result = some_result();
  BOOST_TEST(result_text(result).find("checkpoint") == std::string::npos);
  result.checkpoints = {2, 0.25, 3, 90, 86400, 1800, 4};
  BOOST_TEST(
      result_json(result).find(R"("checkpoints":{"late":2,"lost_seconds":0.25,"write_seconds":3,)"
                               R"("interval_seconds":90,"seconds_between_failures":86400,)"
                               R"("copied":1800,"copies_failed":4})") != std::string::npos);
  for (const char* part : {"a checkpoint cost 0.250 s", "one every 90.0 s", "2 came late",
                           "iteration 1800 was copied to the second place", "4 copies failed"})
    BOOST_TEST(result_text(result).find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(people_read_the_same_in_words) {
  const std::string text = result_text(some_result());
  for (const char* part :
       {"mnist: test accuracy 0.8740, test loss 0.3500", "480000 samples in 41.2 s: 11650 images/s",
        "1.060 times the ideal", "accuracy 0.85 after 21.0 s", "accuracy 0.99 not reached",
        "worker 1: 80000 samples, share 16.7 %, idle 1.0 %", "record run.jsonl", "sha256 ab12"})
    BOOST_TEST(text.find(part) != std::string::npos, part);
  BOOST_TEST(result_text(RunResult()).find(" 0 images/s") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

#include "actors/system/head_return.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <mutex>
#include <string>
#include <vector>

using namespace slime;
using namespace std::chrono_literals;
using actors::HeadReturn;

namespace head_return_test {

const Error loss{Errc::unavailable, "the head is lost: killed"};
const Error nobody{Errc::unavailable, "nobody listens there"};

/// What a node would do, in a script: each attempt has the next answer, the last one for ever.
struct Node {
  HeadReturn::Steps steps() {
    return {[this](Duration) -> Result<std::uint64_t> {
              const std::lock_guard lock(mutex);
              const Result<std::uint64_t> answer = answers[std::min(attempts, answers.size() - 1)];
              ++attempts;
              return answer;
            },
            [this](const Error& why) { given_up.set_value(why); },
            [this](LogLevel, const std::string& text) {
              if (text.find("is back") != std::string::npos) back.set_value();
            }};
  }
  bool is_back() { return back.get_future().wait_for(10s) == std::future_status::ready; }
  Error why() {
    auto told = given_up.get_future();
    BOOST_REQUIRE((told.wait_for(10s) == std::future_status::ready));
    return told.get();
  }

  std::vector<Result<std::uint64_t>> answers;
  std::mutex mutex;
  std::size_t attempts = 0;
  std::promise<void> back;
  std::promise<Error> given_up;
};

}  // namespace head_return_test

BOOST_FIXTURE_TEST_SUITE(head_return_test, Node)

BOOST_AUTO_TEST_CASE(a_head_that_comes_back_is_joined_again) {
  answers = {nobody, Error{Errc::timeout, "no answer"}, std::uint64_t{2}};
  HeadReturn waiting(60s, steps());
  waiting.lost(1, loss);
  BOOST_TEST(is_back());
  BOOST_TEST(attempts == 3u);
}

BOOST_AUTO_TEST_CASE(what_cannot_change_ends_the_wait_and_is_told) {
  answers = {nobody, Error{Errc::not_found, "another head is there"}};
  HeadReturn waiting(60s, steps());
  waiting.lost(1, loss);
  const Error told = why();
  BOOST_TEST((told.code == Errc::not_found));
  BOOST_TEST(told.context == "the head is lost: killed; joining again: another head is there");
}

BOOST_AUTO_TEST_CASE(a_head_that_stays_away_is_given_up_and_both_reasons_are_told) {
  answers = {nobody};
  HeadReturn waiting(200ms, steps());
  waiting.lost(1, loss);
  const Error told = why();
  BOOST_TEST((told.code == Errc::unavailable));
  BOOST_TEST(told.context ==
             "the head is lost: killed; it did not come back within 0 s; joining again: nobody "
             "listens there");
}

BOOST_AUTO_TEST_CASE(a_head_that_left_is_not_waited_for) {
  answers = {nobody};
  HeadReturn waiting(60s, steps());
  waiting.left();
  waiting.lost(1, loss);
  BOOST_TEST(why().context == "the head is lost: killed; it has left the cluster");
  BOOST_TEST(attempts == 0u);
}

BOOST_AUTO_TEST_CASE(who_stops_waits_no_longer_and_gives_nobody_up) {
  answers = {nobody};
  auto told = given_up.get_future();
  HeadReturn waiting(60s, steps());
  waiting.lost(1, loss);
  waiting.stop();
  BOOST_TEST((told.wait_for(0s) == std::future_status::timeout));
}

BOOST_AUTO_TEST_SUITE_END()

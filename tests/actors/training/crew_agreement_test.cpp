#include "actors/training/crew_agreement.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/wire/message.hpp"

using namespace slime;
using namespace slime::actors;

namespace crew_agreement_test {

CrewTraits traits(std::uint64_t data, std::uint64_t probe = 1) {
  return {.samples = 10, .test_samples = 2, .inputs = 4, .data_hash = data, .probe_hash = probe};
}

const Error failure{Errc::not_found, "no such file"};

}  // namespace crew_agreement_test

BOOST_AUTO_TEST_SUITE(crew_agreement_test)

BOOST_AUTO_TEST_CASE(the_first_worker_does_not_decide) {
  CrewAgreement crew(3, true);
  crew.hear(0, traits(7));
  BOOST_TEST(!crew.settle(3));
  crew.hear(1, traits(8));
  BOOST_TEST(!crew.settle(3));
  crew.hear(2, traits(8));
  const auto verdict = crew.settle(3);
  BOOST_REQUIRE((verdict && verdict->traits));
  BOOST_TEST(verdict->traits->data_hash == 8u);
  BOOST_TEST(crew.objection(0, *verdict->traits).find("its data") != std::string::npos);
  BOOST_TEST(crew.objection(1, *verdict->traits).empty());
}

BOOST_AUTO_TEST_CASE(more_than_half_decide_before_the_rest_has_told) {
  CrewAgreement crew(5, false);
  for (const std::uint32_t worker : {4U, 2U}) crew.hear(worker, traits(8));
  BOOST_TEST(!crew.settle(5));
  crew.hear(0, traits(8));
  BOOST_TEST(crew.settle(5).has_value());
}

BOOST_AUTO_TEST_CASE(who_is_not_there_is_not_waited_for_and_who_is_there_has_a_say) {
  CrewAgreement crew(7, false);
  crew.hear(0, traits(7));
  BOOST_TEST(!crew.settle(2));
  crew.hear(1, traits(8));
  BOOST_TEST(!crew.settle(4));
  BOOST_TEST(crew.settle(2)->speaker == 0u);
  crew.hear(2, traits(8));
  BOOST_TEST(!crew.settle(4));
  BOOST_TEST(crew.settle(3)->traits->data_hash == 8u);
}

BOOST_AUTO_TEST_CASE(arithmetic_counts_where_bits_must_be_the_same) {
  for (const bool same_bits : {true, false}) {
    CrewAgreement crew(3, same_bits);
    crew.hear(0, traits(8, 1));
    crew.hear(1, traits(8, 2));
    crew.hear(2, traits(8, 2));
    const auto verdict = crew.settle(3);
    BOOST_REQUIRE((verdict && verdict->traits));
    BOOST_TEST(crew.objection(0, *verdict->traits).empty() != same_bits);
  }
}

BOOST_AUTO_TEST_CASE(most_that_cannot_take_part_fail_the_job) {
  CrewAgreement crew(3, false);
  crew.hear(0, traits(8));
  crew.hear(1, failure);
  crew.hear(2, failure);
  const auto verdict = crew.settle(3);
  BOOST_REQUIRE(verdict.has_value());
  BOOST_TEST(!verdict->traits);
  BOOST_TEST(verdict->speaker == 1u);
  BOOST_TEST(crew.failure(1)->context == failure.context);
}

// Goal: while others may still come or load, a failure is nobody's but the worker's.
BOOST_AUTO_TEST_CASE(failures_of_no_more_than_half_of_all_places_fail_nothing) {
  CrewAgreement crew(5, false);
  crew.hear(0, failure);
  BOOST_TEST(!crew.settle(1));
  crew.hear(1, failure);
  BOOST_TEST(!crew.settle(2));
  crew.hear(3, traits(8));
  BOOST_TEST(!crew.settle(5));
  BOOST_TEST(crew.settle(3)->speaker == 3u);
  crew.hear(2, failure);
  BOOST_TEST(!crew.settle(5)->traits);
}

BOOST_AUTO_TEST_CASE(of_two_that_differ_the_one_with_data_and_then_the_lower_place_is_right) {
  CrewAgreement crew(2, false);
  crew.hear(1, traits(8));
  crew.hear(0, failure);
  BOOST_TEST(crew.settle(2)->speaker == 1u);
  BOOST_TEST(crew.objection(0, traits(8)).find("no such file") != std::string::npos);
  crew.hear(0, traits(7));
  BOOST_TEST(crew.settle(2)->traits->data_hash == 7u);
}

BOOST_AUTO_TEST_CASE(who_is_gone_has_no_say) {
  CrewAgreement crew(2, false);
  crew.hear(0, traits(7));
  crew.forget(0);
  BOOST_TEST(!crew.settle(0));
  crew.hear(1, traits(8));
  BOOST_TEST(!crew.settle(2));
  BOOST_TEST(crew.settle(1)->traits->data_hash == 8u);
}

BOOST_AUTO_TEST_CASE(traits_survive_being_told) {
  const auto message = runtime::Message<schema::CrewTraits>::make(
      [](schema::CrewTraits::Builder root) { traits(8, 9).write(root); });
  const CrewTraits back = message.read([](auto read) { return CrewTraits::read(read); });
  BOOST_TEST(back.samples == 10u);
  BOOST_TEST(back.test_samples == 2u);
  BOOST_TEST(back.inputs == 4u);
  BOOST_TEST(back.data_hash == 8u);
  BOOST_TEST(back.probe_hash == 9u);
}

BOOST_AUTO_TEST_SUITE_END()

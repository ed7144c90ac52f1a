#include "runtime/base/random.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace slime;

BOOST_AUTO_TEST_SUITE(random_test)

BOOST_AUTO_TEST_CASE(equal_seeds_and_streams_give_equal_sequences) {
  Random a(7, 1), b(7, 1), c(7, 2);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t value = a.next();
    BOOST_TEST(value == b.next());
    differs = differs || value != c.next();
  }
  BOOST_TEST(differs);
}

BOOST_AUTO_TEST_CASE(the_sequence_is_fixed_for_all_machines) {
  Random random(1);
  std::mt19937_64 reference;
  std::seed_seq seeds{1, 0, 0, 0, 0, 0};
  reference.seed(seeds);
  BOOST_TEST(random.next() == reference());
}

BOOST_AUTO_TEST_CASE(below_is_uniform_and_normal_has_unit_variance) {
  Random random(3);
  std::vector<int> counts(5);
  double sum = 0, squares = 0;
  constexpr int draws = 50'000;
  for (int i = 0; i < draws; ++i) {
    ++counts[random.below(5)];
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  for (int count : counts) BOOST_TEST(std::abs(count - draws / 5) < 500);
  BOOST_TEST(std::abs(sum / draws) < 0.02);
  BOOST_TEST(std::abs(squares / draws - 1) < 0.03);
}

BOOST_AUTO_TEST_CASE(a_saved_state_continues_where_it_stopped) {
  Random random(5);
  random.next();
  const std::string state = random.save();
  const std::uint64_t expected = random.next();
  Random other(9);
  BOOST_TEST(bool(other.restore(state)));
  BOOST_TEST(other.next() == expected);
  BOOST_TEST(!other.restore("nonsense"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/record/thinned_marks.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::tools;

namespace thinned_marks_test {

/// A range of numbers.
struct Range {
  int from = 0;
  int to = 0;
};

Range join(const Range& earlier, const Range& later) {
  BOOST_TEST(earlier.to + 1 == later.from);
  return {earlier.from, later.to};
}

}  // namespace thinned_marks_test

BOOST_AUTO_TEST_SUITE(thinned_marks_test)

BOOST_AUTO_TEST_CASE(what_there_is_room_for_is_kept_as_it_came) {
  ThinnedMarks<Range> marks(4);
  for (int i = 0; i < 3; ++i) marks.add({i, i});
  BOOST_TEST(!marks.thinned());
  BOOST_TEST(std::move(marks).take().size() == 3u);
}

BOOST_AUTO_TEST_CASE(however_many_come_the_marks_are_even_and_cover_all) {
  for (int count = 1; count <= 300; ++count) {
    ThinnedMarks<Range> marks(7);
    for (int i = 0; i < count; ++i) marks.add({i, i});
    BOOST_TEST(marks.thinned() == (count >= 8));
    const auto kept = std::move(marks).take();
    BOOST_TEST(kept.size() <= 8u);
    BOOST_TEST((count < 8 || kept.size() >= 4u));
    BOOST_TEST(kept.front().from == 0);
    BOOST_TEST(kept.back().to == count - 1);
    for (std::size_t i = 1; i < kept.size(); ++i) BOOST_TEST(kept[i].from == kept[i - 1].to + 1);
    for (std::size_t i = 1; i + 1 < kept.size(); ++i)
      BOOST_TEST(kept[i].to - kept[i].from == kept[0].to - kept[0].from);
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/record/drawing.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(drawing_test)

BOOST_AUTO_TEST_CASE(no_text_becomes_markup) {
  BOOST_TEST(html_text("<b a='1' c=\"2\">&") == "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
  BOOST_TEST(html_text("a\nb\tc") == "a b c");
  BOOST_TEST(html_text("\xff"
                       "é") ==
             "\xef\xbf\xbd"
             "é");
}

BOOST_AUTO_TEST_CASE(values_beyond_a_scale_are_drawn_at_its_edge) {
  const Scale scale{.from = 0, .to = 10, .start = 100, .end = 0};
  BOOST_TEST(scale(5) == 50);
  BOOST_TEST(scale(-1) == 100);
  BOOST_TEST(scale(1e300) == 0);
  BOOST_TEST((Scale{1, 1, 7, 9}(1)) == 7);
}

BOOST_AUTO_TEST_CASE(ticks_are_round_and_within) {
  BOOST_TEST((ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10}));
  BOOST_TEST((ticks(0.55, 1.0, 4).front()) == 0.6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(ticks(3, 3, 5).empty());
  BOOST_TEST(ticks(0, 5e-324, 5).empty());
  BOOST_TEST(ticks(0, 9e15, 10).size() <= 11u);
}

BOOST_AUTO_TEST_CASE(a_box_is_closed_and_never_too_thin_to_see) {
  BOOST_TEST(box(1, 2, 3, 4) == "M1 2h3v4h-3z");
  BOOST_TEST(box(1, 2, 0, 4) == "M1 2h0.1v4h-0.1z");
}

BOOST_AUTO_TEST_CASE(neighbours_differ_in_colour) {
  std::set<std::string> colours;
  for (std::uint32_t worker = 0; worker < 64; ++worker) colours.insert(worker_colour(worker));
  BOOST_TEST(colours.size() > 60u);
}

BOOST_AUTO_TEST_CASE(many_runs_share_the_room_of_one) {
  const DrawingBudget one(1), many(100);
  BOOST_TEST(one.workers == 64u);
  BOOST_TEST(many.workers == 8u);
  BOOST_TEST(many.bars * 100 <= one.bars);
  BOOST_TEST(many.points * 100 <= one.points);
  BOOST_TEST(DrawingBudget::part(100, 4, 10, 1000) == 25u);
  BOOST_TEST(DrawingBudget::part(100, 0, 10, 50) == 50u);
  BOOST_TEST(DrawingBudget::part(100, 90, 10, 1000) == 10u);
}

BOOST_AUTO_TEST_CASE(a_frame_draws_its_axes) {
  const Frame frame;
  const std::string text = frame.open("chart", "a < b") + frame.x_axis(frame.x(10), "t & u") +
                           frame.y_axis(frame.y(0, 1), "y");
  BOOST_TEST(text.starts_with("<svg class=\"chart\""));
  BOOST_TEST(text.find("a &lt; b") != std::string::npos);
  BOOST_TEST(text.find("t &amp; u") != std::string::npos);
  // Higher values are higher up.
  BOOST_TEST(frame.y(0, 1)(1) < frame.y(0, 1)(0));
}

BOOST_AUTO_TEST_SUITE_END()

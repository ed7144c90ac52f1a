#include "trainer/model/fingerprint.hpp"

#include <boost/test/unit_test.hpp>
#include <span>
#include <vector>

using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(fingerprint_test)

// Expected: `printf '\x00\x00\x80\x3f\x00\x00\x00\xc0' | sha256sum`.
BOOST_AUTO_TEST_CASE(it_is_sha256_over_little_endian_floats) {
  BOOST_TEST(sha256(std::vector<float>{1, -2}).value() ==
             "ee4ac73c2bd27756ab82780f27c73a7bc4d3f0bb6acb37e008bc27eccd7e588b");
  BOOST_TEST(sha256({}).value() ==
             "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

BOOST_AUTO_TEST_CASE(pieces_give_what_the_whole_gives) {
  const std::vector<float> values{1, -2, 3, -4, 5};
  Fingerprint pieces;
  pieces.add(std::span(values).first(2));
  pieces.add({});
  pieces.add(std::span(values).subspan(2));
  BOOST_TEST(pieces.finish().value() == sha256(values).value());
}

BOOST_AUTO_TEST_CASE(one_bit_changes_it) {
  BOOST_TEST(sha256(std::vector<float>{0.0F}).value() != sha256(std::vector<float>{-0.0F}).value());
}

BOOST_AUTO_TEST_SUITE_END()

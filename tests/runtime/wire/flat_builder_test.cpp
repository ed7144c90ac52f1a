#include "runtime/wire/flat_builder.hpp"

#include <capnp/serialize.h>

#include <boost/test/unit_test.hpp>

#include "schemas/ids.capnp.h"

using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(flat_builder_test)

BOOST_AUTO_TEST_CASE(one_and_many_segments_read_back) {
  for (std::size_t length : {10u, 10'000u, 1'000'000u}) {
    FlatBuilder builder(16);
    auto root = builder.initRoot<slime::schema::Failure>();
    root.setCode(3);
    root.initContext(static_cast<unsigned>(length)).begin()[length - 1] = 'z';
    const Words words = builder.finish();
    capnp::FlatArrayMessageReader reader(
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(words.data()), words.count()));
    const auto read = reader.getRoot<slime::schema::Failure>();
    BOOST_TEST(read.getCode() == 3);
    BOOST_TEST(read.getContext().size() == length);
    BOOST_TEST(read.getContext()[length - 1] == 'z');
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/bench/plain_file.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "tests/support/temp_dir.hpp"

using namespace slime::bench;

BOOST_AUTO_TEST_SUITE(plain_file_test)

BOOST_FIXTURE_TEST_CASE(what_was_written_is_read, slime::tests::TempDir) {
  Model model(100'003), read(100'003);
  for (std::size_t i = 0; i < model.values.size(); ++i) {
    model.values[i] = static_cast<float>(i);
    model.momentum[i] = -static_cast<float>(i);
  }
  const PlainFile file(path() / "plain");
  file.write(model);
  file.forget();
  file.read(read);
  BOOST_TEST((read.values == model.values));
  BOOST_TEST((read.momentum == model.momentum));
  BOOST_TEST(std::filesystem::file_size(path() / "plain") == model.bytes());
}

BOOST_FIXTURE_TEST_CASE(a_file_that_cannot_be_used_is_named, slime::tests::TempDir) {
  Model model(3);
  BOOST_CHECK_EXCEPTION(
      PlainFile(path() / "none" / "plain").write(model), std::runtime_error, [&](const auto& e) {
        return std::string(e.what()).find((path() / "none").string()) != std::string::npos;
      });
  write("short", "four");
  BOOST_CHECK_THROW(PlainFile(path() / "short").read(model), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()

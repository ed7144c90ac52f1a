#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/cluster/slime_process.hpp"

namespace slime::tests {

/// A head of the real program, with a session of its own.
struct StartedCluster : TempDir {
  StartedCluster() : head(*this, start({"--head"})) {
    BOOST_REQUIRE(head.says("listens at tcp:", std::chrono::seconds(20)));
    const std::string text = head.out();
    const std::size_t from = text.find("tcp:");
    address = text.substr(from, text.find('\n') - from);
  }

  std::vector<std::string> start(std::vector<std::string> more) const {
    more.insert(more.begin(), "start");
    more.insert(more.end(), {"--session", session});
    return more;
  }

  /// A folder that holds no session.
  std::string no_session() const { return (path() / "other").string(); }

  const std::string session = (path() / "session").string();
  SlimeProcess head;
  std::string address;
};

/// How a command ended that is expected to do so soon: its code, and whether it wrote one line to
/// standard error that contains `part`.
inline boost::test_tools::predicate_result refuses(const TempDir& folder,
                                                   const std::vector<std::string>& arguments,
                                                   int code, std::string_view part) {
  SlimeProcess run(folder, arguments);
  const auto ended = run.wait(std::chrono::seconds(20));
  const std::string line = run.err();
  boost::test_tools::predicate_result result(ended == code && line.find(part) != line.npos &&
                                             line.find('\n') + 1 == line.size());
  result.message() << "ended with " << ended.value_or(-1) << ", saying: " << line;
  return result;
}

}  // namespace slime::tests

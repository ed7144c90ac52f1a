#include "tools/slime/chaos/simulated/failing_disk.hpp"

#include <boost/test/unit_test.hpp>

#include "actors/system/checkpointer.hpp"
#include "actors/training/types.hpp"
#include "runtime/simulation/simulation.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace failing_disk_test {

struct Stores : TempDir {
  tools::FailingDisk disk;
  runtime::Simulation simulation{1};
  NodeId node = simulation.add_node("node", disk.under(actors::training_types()));

  actors::Checkpointer checkpointer(const std::string& name) {
    const auto spec = Message<schema::CheckpointerSpec>::make([&](auto root) {
      root.setDirectory(path().string());
      root.setNode(name);
    });
    return {simulation.spawn(node, "checkpointer", spec.any()).value()};
  }
  Status write(const actors::Checkpointer& store, std::uint64_t iteration) {
    const std::vector<float> values(16384);
    const auto answer = simulation.call(
        store,
        Message<schema::WritePart>::make(
            [&](schema::WritePart::Builder root) {
              root.setTerm(1);
              root.setCheckpoint(iteration);
              root.setVersion(iteration);
              root.setValues({reinterpret_cast<const kj::byte*>(values.data()), values.size() * 4});
            },
            10'000),
        5s);
    return answer ? ok() : Status(answer.error());
  }
};

}  // namespace failing_disk_test

BOOST_FIXTURE_TEST_SUITE(failing_disk_test, Stores)

BOOST_AUTO_TEST_CASE(a_full_disk_takes_nothing_and_an_empty_one_everything) {
  const auto store = checkpointer("shard-0"), other = checkpointer("shard-1");
  BOOST_TEST(bool(write(store, 1)));
  disk.fill("shard-0");
  const Status refused = write(store, 2);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::io_error));
  BOOST_TEST(refused.error().context.find("shard-0") != std::string::npos);
  BOOST_TEST(bool(write(other, 2)));
  // What is read is not written.
  BOOST_TEST(bool(simulation.call(store, Message<schema::LoadNewest>::make(), 5s)));
  disk.empty("shard-0");
  BOOST_TEST(bool(write(store, 2)));
}

BOOST_AUTO_TEST_SUITE_END()

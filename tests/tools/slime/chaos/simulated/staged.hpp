#pragma once

#include <string>
#include <vector>

#include "actors/training/types.hpp"
#include "runtime/wire/message.hpp"
#include "tools/slime/chaos/simulated/stage.hpp"

namespace slime::tests {

/// A stage with two workers and two shards, and a look at its members.
struct Staged {
  tools::FailingDisk disk;
  tools::Stage stage{1, actors::training_types(), 2, 2, disk};

  Staged() { run(std::chrono::milliseconds(100)); }

  void run(Duration duration) { stage.run_until(stage.simulation().now() + duration); }
  /// The living members, as the head lists them: "head worker-0 …".
  std::string living() {
    std::string names;
    const auto members = stage.simulation().call(stage.cluster().membership(),
                                                 runtime::Message<schema::GetMembers>::make(),
                                                 std::chrono::seconds(5));
    if (!members) return members.error().context;
    members->read([&](schema::Members::Reader read) {
      for (const auto member : read.getMembers())
        if (member.getState() == schema::MemberState::ALIVE)
          names += (names.empty() ? "" : " ") + std::string(member.getName());
    });
    return names;
  }
};

}  // namespace slime::tests

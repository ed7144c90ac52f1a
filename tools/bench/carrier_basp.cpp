// CAF's own protocol, tuned: the same scheduler policy as ours, no extra worker threads (they cost
// a hand-over per message), payloads as one string, which it copies fastest.
#include <caf/io/all.hpp>

#include <stdexcept>
#include <string>

#include "tools/bench/caf_driver.hpp"
#include "tools/bench/carrier.hpp"

namespace slime::bench {

namespace {

struct Config : caf::actor_system_config {
  Config() {
    load<caf::io::middleman>();
    set("scheduler.policy", caf::atom("sharing"));
    set("middleman.workers", 0);
  }
};

// CAF hands its sockets to nobody; an accepted one inherits from the listening one.
void tune_all_sockets() {
  for (int fd = 3; fd < 256; ++fd) tune_socket(fd);
}

class BaspClient final : public Client {
 public:
  explicit BaspClient(std::uint16_t port) {
    auto target = system_.middleman().remote_actor("127.0.0.1", port);
    if (!target) throw std::runtime_error(system_.render(target.error()));
    target_ = *target;
    tune_all_sockets();
  }

  double stream(std::size_t bytes, std::size_t count, std::size_t window) override {
    return run_drive<std::string>(system_, drive(bytes, 0, count, window));
  }
  std::vector<double> round_trips(std::size_t count) override {
    const auto asks = drive(small_bytes, 0, count, 1);
    run_drive<std::string>(system_, asks);
    return asks->seconds;
  }
  double one_way(std::size_t count) override {
    return run_drive<std::string>(system_, drive(small_bytes, count, 1, 1));
  }

 private:
  std::shared_ptr<Drive> drive(std::size_t bytes, std::size_t one_way, std::size_t asks,
                               std::size_t window) {
    auto drive = std::make_shared<Drive>();
    drive->target = target_;
    drive->payload = caf::make_message(std::string(bytes, 'x'));
    drive->one_way = one_way;
    drive->asks = asks;
    drive->window = window;
    return drive;
  }

  Config config_;
  caf::actor_system system_{config_};
  caf::actor target_;
};

}  // namespace

int serve_basp(const std::string&) {
  Config config;
  caf::actor_system system(config);
  const auto answerer = system.spawn([]() -> caf::behavior {
    return {[answer = std::string(8, 'x')](const std::string&) { return answer; }};
  });
  const auto port = system.middleman().publish(answerer, 0, "127.0.0.1", true);
  if (!port) throw std::runtime_error(system.render(port.error()));
  tune_all_sockets();
  announce_and_wait(std::to_string(*port));
  caf::anon_send_exit(answerer, caf::exit_reason::kill);
  return 0;
}

std::unique_ptr<Client> connect_basp(const std::string& endpoint) {
  return std::make_unique<BaspClient>(static_cast<std::uint16_t>(std::stoul(endpoint)));
}

}  // namespace slime::bench

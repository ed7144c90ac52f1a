#include "runtime/simulation/network.hpp"

#include <algorithm>

namespace slime::runtime {

namespace {

constexpr Duration tick{1};
constexpr Duration local_delay_max = std::chrono::microseconds(1);

}  // namespace

Channel& Network::channel(std::uint32_t from, std::uint32_t to) {
  return channels_.try_emplace(key(from, to), Channel{.from = from, .to = to}).first->second;
}

bool Network::severed(std::uint32_t from, std::uint32_t to) const {
  const auto found = channels_.find(key(from, to));
  return found != channels_.end() && found->second.severed;
}

std::optional<Instant> Network::arrival(Channel& channel, Lane lane, std::size_t bytes,
                                        Instant now) {
  Instant& last = lane == Lane::data ? channel.last_data : channel.last_control;
  if (channel.from == outside || channel.to == outside) return last = local_arrival(last, now);
  if (lane == Lane::data && model_.bandwidth > 0) {
    const Duration transfer = from_seconds(static_cast<double>(bytes) / model_.bandwidth);
    now = channel.sent = std::max(channel.sent, now) + transfer;
  }
  if (lane == Lane::data && model_.loss > 0 && random_.uniform() < model_.loss) return std::nullopt;
  const auto span = static_cast<std::uint64_t>((model_.delay_max - model_.delay_min).count());
  const Duration delay =
      model_.delay_min + Duration(static_cast<Duration::rep>(random_.below(span + 1)));
  return last = std::max({last + tick, now + delay, now + tick});
}

Instant Network::local_arrival(Instant last, Instant now) {
  const auto delay = random_.below(static_cast<std::uint64_t>(local_delay_max.count()));
  return std::max(last + tick, now + tick + Duration(static_cast<Duration::rep>(delay)));
}

}  // namespace slime::runtime

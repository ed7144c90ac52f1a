#include "runtime/base/random.hpp"

#include <array>
#include <cmath>
#include <sstream>

namespace slime {

namespace {

std::mt19937_64 make_engine(std::uint64_t seed, std::uint64_t stream, std::uint64_t substream) {
  std::array<std::uint32_t, 6> words;
  std::size_t at = 0;
  for (std::uint64_t value : {seed, stream, substream}) {
    words[at++] = static_cast<std::uint32_t>(value);
    words[at++] = static_cast<std::uint32_t>(value >> 32);
  }
  std::seed_seq sequence(words.begin(), words.end());
  return std::mt19937_64(sequence);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream, std::uint64_t substream)
    : engine_(make_engine(seed, stream, substream)) {}

std::uint64_t Random::below(std::uint64_t bound) {
  assert(bound > 0);
  // Values under `reject` would make the low remainders likelier than the high ones.
  const std::uint64_t reject = (0 - bound) % bound;
  std::uint64_t value = next();
  while (value < reject) value = next();
  return value % bound;
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() {
  for (;;) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

std::string Random::save() const {
  std::ostringstream out;
  out << engine_;
  return out.str();
}

Status Random::restore(const std::string& state) {
  std::istringstream in(state);
  std::mt19937_64 engine;
  in >> engine;
  if (!in) return Error{Errc::corruption, "restoring a random state: not a saved state"};
  engine_ = engine;
  return ok();
}

NodeId random_node_id() {
  std::random_device device;
  const auto draw = [&device] { return (static_cast<std::uint64_t>(device()) << 32) | device(); };
  return NodeId{draw() | 1, draw()};
}

}  // namespace slime

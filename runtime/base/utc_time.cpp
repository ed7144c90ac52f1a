#include "runtime/base/utc_time.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace slime {

std::string utc_text(std::int64_t us, const char* form) {
  constexpr std::int64_t last_of_9999 = 253'402'300'799;
  const auto seconds =
      static_cast<std::time_t>(std::clamp<std::int64_t>(us / 1'000'000, 0, last_of_9999));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), form, &parts)};
}

}  // namespace slime

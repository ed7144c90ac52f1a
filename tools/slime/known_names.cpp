#include "tools/slime/known_names.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view modes[] = {"bsp", "a_dsp"};
constexpr std::string_view policies[] = {"equal", "adapt_fr"};
constexpr std::string_view optimizers[] = {"sgd"};
constexpr std::string_view formats[] = {"idx"};
constexpr std::string_view layers[] = {"dense"};

}  // namespace

KnownNames known_names() {
  return {modes, policies, optimizers, formats, layers};
}

}  // namespace slime::tools

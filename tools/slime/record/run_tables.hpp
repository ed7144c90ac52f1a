#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/slime/record/run_story.hpp"

namespace slime::tools {

/// `text` as the content of an HTML element, its line ends kept.
std::string html_text_lines(std::string_view text);

/// What happened seldom, as an HTML table; of more than `rows_max` the first and the last ones.
std::string incidents_table(const RunStory& story, std::size_t rows_max);

/// The decision log: each decision of shares and the loads on which it rested, likewise.
std::string decisions_table(const RunStory& story, std::size_t rows_max);

}  // namespace slime::tools

#pragma once

#include <httplib.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <optional>
#include <string>

namespace slime::tests {

/// What is served at `url`, "http://HOST:PORT/PATH".
inline std::string scrape(const std::string& url) {
  const std::size_t path = url.find('/', std::string("http://").size());
  const auto answer = httplib::Client(url.substr(0, path)).Get(url.substr(path));
  BOOST_REQUIRE_MESSAGE(answer, url);
  BOOST_TEST(answer->status == 200);
  return answer->body;
}

/// The value of a metric without labels in Prometheus's text format.
inline std::optional<double> value_in(const std::string& text, const std::string& name) {
  const std::size_t at = ("\n" + text).find("\n" + name + " ");
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(text.c_str() + at + name.size() + 1, nullptr);
}

}  // namespace slime::tests

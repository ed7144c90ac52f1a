#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "actors/training/lead_time.hpp"
#include "actors/training/protocols.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/wire/message.hpp"

namespace slime::actors {

/// The parameters as a worker sees them: ranges that are being fetched from the shards, and the
/// whole that was put together last. One fetch at a time. Owned by one actor, which does the
/// asking.
class ParameterFetch {
 public:
  struct Place {
    ParameterShard shard;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  explicit ParameterFetch(std::vector<Place> places)
      : places_(std::move(places)), arrived_(places_.size()) {
    std::uint64_t total = 0;
    for (const Place& place : places_) total = std::max(total, place.first + place.count);
    parameters_.resize(total);
  }

  const std::vector<Place>& places() const { return places_; }

  /// A fetch begins; `arrived` is due for every place.
  void start(Instant now) {
    arrived_.assign(places_.size(), std::nullopt);
    missing_ = places_.size();
    fresh_ = false;
    started_ = now;
  }
  bool under_way() const { return missing_ > 0; }

  /// The range of place `index` came. True: it was the last one.
  bool arrived(std::size_t index, const runtime::Message<schema::Parameters>& range, Instant now) {
    if (!std::exchange(arrived_[index], range)) --missing_;
    if (missing_ > 0) return false;
    seconds_ = to_seconds(now - started_);
    lead_.observe(seconds_);
    fresh_ = true;
    return true;
  }

  /// Puts the last fetch together if it was not yet. Errors: corruption (a range of another size).
  Status take() {
    if (!fresh_) return ok();
    fresh_ = false;
    std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto copied = arrived_[i]->read([&](schema::Parameters::Reader range) -> Status {
        const auto values = runtime::as_floats(range.getValues());
        if (values.size() != places_[i].count)
          return Error{Errc::corruption,
                       "fetching parameters: a shard sent a range of another size"};
        std::ranges::copy(values,
                          parameters_.begin() + static_cast<std::ptrdiff_t>(places_[i].first));
        oldest = std::min(oldest, range.getVersion());
        return ok();
      });
      if (!copied) return copied;
    }
    version_ = oldest;
    return ok();
  }

  /// True: a whole fetch came and was not taken yet.
  bool fresh() const { return fresh_; }
  /// Of what was taken last: the oldest version of a range. None before the first.
  std::optional<std::uint64_t> version() const { return version_; }
  std::span<const float> parameters() const { return parameters_; }
  /// How long the last whole fetch took.
  double seconds() const { return seconds_; }
  /// How early to begin a fetch that is to be there in time.
  double lead_s() const { return lead_.seconds(); }
  /// When to ask again for a range of so many bytes.
  runtime::Retry retry(std::size_t bytes) const { return lead_.retry(bytes); }

 private:
  std::vector<Place> places_;
  std::vector<std::optional<runtime::Message<schema::Parameters>>> arrived_;
  std::vector<float> parameters_;
  std::size_t missing_ = 0;
  bool fresh_ = false;
  std::optional<std::uint64_t> version_;
  double seconds_ = 0;
  LeadTime lead_;
  Instant started_{};
};

}  // namespace slime::actors

#include "tools/bench/busy_model.hpp"

#include <algorithm>

#include "storage/part_record.hpp"

namespace slime::bench {

namespace {

constexpr std::size_t block = storage::block_parameters;

}  // namespace

BusyModel::BusyModel(Model& model, std::size_t threads) : model_(model) {
  const std::size_t share = (model.values.size() / block + threads - 1) / threads * block;
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this, first = std::min(i * share, model.values.size()),
                           end = std::min((i + 1) * share, model.values.size())](
                              const std::stop_token& stop) { run(stop, first, end); });
}

void BusyModel::copy_to(Model& copy) {
  request_ = std::make_unique<Request>(copy, threads_.size());
  ++asked_;
  request_->done.wait();
}

void BusyModel::run(const std::stop_token& stop, std::size_t first, std::size_t end) {
  std::vector<float> gradient(block);
  for (std::size_t i = 0; i < block; ++i) gradient[i] = 1e-3F * (static_cast<float>(i % 17) - 8);
  std::uint64_t answered = 0;
  for (std::size_t at = first; !stop.stop_requested(); at = at + block < end ? at + block : first) {
    if (asked_.load() != answered) {
      ++answered;
      const auto copy = [&](const std::vector<float>& from, std::vector<float>& to) {
        std::copy(from.begin() + static_cast<std::ptrdiff_t>(first),
                  from.begin() + static_cast<std::ptrdiff_t>(end),
                  to.begin() + static_cast<std::ptrdiff_t>(first));
      };
      copy(model_.values, request_->copy.values);
      copy(model_.momentum, request_->copy.momentum);
      request_->done.count_down();
    }
    for (std::size_t i = 0; i < std::min(block, end - at); ++i) {
      float& momentum = model_.momentum[at + i];
      momentum = 0.9F * momentum + gradient[i];
      model_.values[at + i] -= 0.01F * momentum;
    }
    ++steps_;
  }
}

}  // namespace slime::bench

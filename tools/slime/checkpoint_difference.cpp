#include "tools/slime/checkpoint_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "storage/checkpoint_reader.hpp"
#include "tools/slime/checkpoint_tensors.hpp"
#include "tools/slime/console.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

using trainer::TensorInfo;

/// A difference while it is summed: norms are still squares.
void add(TensorDifference& sums, std::uint64_t at, float a, float b) {
  if (std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b)) ++sums.changed;
  const double from = a, to = b, change = to - from;
  sums.norm_a += from * from;
  sums.norm_b += to * to;
  sums.norm_change += change * change;
  if (!std::isfinite(change)) {
    ++sums.not_finite;
  } else if (std::abs(change) > sums.max_change) {
    sums.max_change = std::abs(change);
    sums.max_at = at;
  }
}

/// The same value of two checkpoints, and the block of each around it.
class BothBlocks {
 public:
  BothBlocks(const storage::CheckpointReader& a, const storage::CheckpointReader& b,
             std::uint64_t parameters)
      : reader_a_(a), reader_b_(b), parameters_(parameters) {}

  /// Errors: corruption, io_error.
  Status move_to(std::uint64_t parameter) {
    at_ = parameter % storage::block_parameters;
    const std::uint64_t first = parameter - at_;
    if (first == first_ && !a_.empty()) return ok();
    first_ = first;
    a_.resize(std::min(storage::block_parameters, parameters_ - first));
    b_.resize(a_.size());
    if (auto read = reader_a_.read(first, a_, {}); !read) return read;
    return reader_b_.read(first, b_, {});
  }
  float a() const { return a_[at_]; }
  float b() const { return b_[at_]; }

 private:
  const storage::CheckpointReader& reader_a_;
  const storage::CheckpointReader& reader_b_;
  std::uint64_t parameters_;
  std::uint64_t first_ = 0;
  std::uint64_t at_ = 0;
  std::vector<float> a_;
  std::vector<float> b_;
};

std::string described(const TensorInfo& tensor) {
  return "\"" + tensor.name + "\" of shape " + trainer::shape_text(tensor.shape);
}

/// Errors: invalid_argument.
Status check_alike(const std::vector<TensorInfo>& a, const std::vector<TensorInfo>& b) {
  const auto differ = [](const std::string& how) {
    return Error{Errc::invalid_argument,
                 "comparing two checkpoints: their models differ, " + how +
                     "; only checkpoints of models with the same layers can be compared"};
  };
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i])
      return differ("tensor " + described(a[i]) + " of A is " + described(b[i]) + " in B");
  if (a.size() > b.size()) return differ("tensor " + described(a[b.size()]) + " is only in A");
  if (a.size() < b.size()) return differ("tensor " + described(b[a.size()]) + " is only in B");
  return ok();
}

std::string tensor_json(const TensorDifference& of) {
  JsonObject object;
  object.text("name", of.tensor.name)
      .raw("shape", trainer::shape_text(of.tensor.shape))
      .boolean("equal", of.changed == 0)
      .number("changed", of.changed)
      .number("not_finite", of.not_finite)
      .number("norm_a", of.norm_a)
      .number("norm_b", of.norm_b)
      .number("norm_change", of.norm_change)
      .number("max_change", of.max_change);
  if (of.max_change > 0)
    object.raw("max_at", index_text(of.tensor.shape, of.max_at));
  else
    object.null("max_at");
  return object.str();
}

std::string id_json(storage::CheckpointId id) {
  return JsonObject().number("iteration", id.iteration).number("term", id.term).str();
}

}  // namespace

bool CheckpointDifference::equal() const {
  return std::ranges::all_of(tensors, [](const auto& one) { return one.changed == 0; });
}

Result<CheckpointDifference> compare_checkpoints(const CheckpointChoice& a,
                                                 const CheckpointChoice& b) {
  const auto tensors = stored_tensors(a.manifest);
  if (auto status = check_alike(tensors, stored_tensors(b.manifest)); !status)
    return status.error();
  const auto blocks_a = storage::CheckpointReader::open(a.stores, a.manifest);
  if (!blocks_a) return blocks_a.error();
  const auto blocks_b = storage::CheckpointReader::open(b.stores, b.manifest);
  if (!blocks_b) return blocks_b.error();

  CheckpointDifference difference{storage::id_of(a.manifest), storage::id_of(b.manifest), {}};
  BothBlocks values(*blocks_a, *blocks_b, storage::parameters_of(a.manifest));
  for (const TensorInfo& tensor : tensors) {
    TensorDifference sums{.tensor = tensor};
    for (std::uint64_t i = 0; i < tensor.count; ++i) {
      if (auto status = values.move_to(tensor.first + i); !status) return status.error();
      add(sums, i, values.a(), values.b());
    }
    for (double* norm : {&sums.norm_a, &sums.norm_b, &sums.norm_change}) *norm = std::sqrt(*norm);
    difference.tensors.push_back(std::move(sums));
  }
  return difference;
}

std::string difference_text(const CheckpointDifference& difference) {
  std::string text = fmt::format("A: {}\nB: {}\n{:<16} {:<16} {:>12} {:>12} {:>12} {:>12}  {}\n",
                                 to_string(difference.a), to_string(difference.b), "tensor",
                                 "shape", "norm of A", "norm of B", "of B - A", "max change", "at");
  std::size_t changed = 0;
  for (const TensorDifference& of : difference.tensors) {
    text += fmt::format("{:<16} {:<16} {:>12.6g} {:>12.6g} ", one_line(of.tensor.name),
                        trainer::shape_text(of.tensor.shape), of.norm_a, of.norm_b);
    changed += of.changed > 0;
    text += of.changed == 0
                ? "equal"
                : fmt::format("{:>12.6g} {:>12.6g}  {}", of.norm_change, of.max_change,
                              of.max_change > 0 ? index_text(of.tensor.shape, of.max_at) : "-");
    text += of.not_finite == 0 ? "\n" : fmt::format("; {} values not finite\n", of.not_finite);
  }
  return text + (changed == 0 ? "all tensors are equal, bit for bit\n"
                              : fmt::format("{} of {} tensors differ\n", changed,
                                            difference.tensors.size()));
}

std::string difference_json(const CheckpointDifference& difference) {
  std::string tensors;
  for (const TensorDifference& of : difference.tensors)
    tensors += (tensors.empty() ? "" : ",") + tensor_json(of);
  return JsonObject()
      .boolean("ok", true)
      .boolean("equal", difference.equal())
      .raw("a", id_json(difference.a))
      .raw("b", id_json(difference.b))
      .raw("tensors", "[" + tensors + "]")
      .str();
}

}  // namespace slime::tools

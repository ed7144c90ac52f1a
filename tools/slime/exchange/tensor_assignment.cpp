#include "tools/slime/exchange/tensor_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/slime/exchange/tensor_listing.hpp"

namespace slime::tools {

namespace {

// More are counted only.
constexpr std::size_t mismatches_told_max = 8;

/// What does not fit, collected so that one try tells all of it.
class Mismatches {
 public:
  void add(const std::string& text) {
    if (++count_ <= mismatches_told_max) text_ += (text_.empty() ? "" : "; ") + text;
  }
  Status status(std::string_view source) const {
    if (count_ == 0) return ok();
    std::string text = fmt::format("the {} does not fit the job's model: {}", source, text_);
    if (count_ > mismatches_told_max)
      text += fmt::format("; and {} more", count_ - mismatches_told_max);
    return Error{Errc::invalid_argument, text};
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

class Assignment {
 public:
  Assignment(std::span<const FileTensor> found, std::span<const CheckpointTensor> wanted,
             const AssignmentRules& rules)
      : found_(found), wanted_(wanted), rules_(rules), wanted_names_(names_of(wanted)) {
    for (const FileTensor& tensor : found) found_names_.push_back(tensor.name);
    for (std::size_t i = 0; i < wanted.size(); ++i) places_[wanted_names_[i]] = i;
  }

  Result<std::vector<std::optional<std::size_t>>> make() {
    if (Status known = check_rules(); !known) return known.error();
    sources_.resize(wanted_.size());
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (rules_.only.match(found_[i].name)) take(i);
    for (std::size_t i = 0; i < wanted_.size() && !rules_.allow_missing; ++i)
      if (!sources_[i] && wanted_[i].plane == 0)
        mismatches_.add(
            fmt::format("\"{}\" of shape {} is not in the {}; {} (--map FROM={} names another, "
                        "--allow-missing begins with its initial values)",
                        wanted_names_[i], trainer::shape_text(wanted_[i].info.shape), rules_.source,
                        tensor_advice(wanted_names_[i], found_names_), wanted_names_[i]));
    if (Status fits = mismatches_.status(rules_.source); !fits) return fits.error();
    return std::move(sources_);
  }

 private:
  Status check_rules() {
    if (Status matched = rules_.only.check(found_names_); !matched) return matched;
    for (const auto& [from, to] : rules_.renames) {
      const auto unknown = [&](const std::string& name, std::string_view where,
                               std::span<const std::string> names) {
        return Error{Errc::invalid_argument,
                     fmt::format("--map {}={}: there is no tensor \"{}\" in the {}; {}", from, to,
                                 name, where, tensor_advice(name, names))};
      };
      if (std::ranges::find(found_names_, from) == found_names_.end())
        return unknown(from, rules_.source, found_names_);
      if (!places_.contains(to)) return unknown(to, "job's model", wanted_names_);
      if (!renamed_.emplace(from, to).second)
        return Error{Errc::invalid_argument,
                     fmt::format("--map {}={}: \"{}\" is mapped twice", from, to, from)};
    }
    return ok();
  }

  void take(std::size_t index) {
    const FileTensor& tensor = found_[index];
    const auto renamed = renamed_.find(tensor.name);
    const std::string& name = renamed == renamed_.end() ? tensor.name : renamed->second;
    const auto place = places_.find(name);
    if (place == places_.end())
      return mismatches_.add(
          fmt::format("\"{}\" is not in the model; {}", name, tensor_advice(name, wanted_names_)));
    if (!tensor.objection.empty())
      return mismatches_.add(fmt::format("\"{}\": {}", tensor.name, tensor.objection));
    const std::vector<std::uint64_t>& shape = wanted_[place->second].info.shape;
    if (tensor.shape != shape)
      return mismatches_.add(fmt::format("\"{}\" has shape {} in the {}, and \"{}\" has {}{}",
                                         tensor.name, trainer::shape_text(tensor.shape),
                                         rules_.source, name, trainer::shape_text(shape),
                                         hint(tensor.shape, shape)));
    auto& source = sources_[place->second];
    if (source)
      return mismatches_.add(fmt::format("both \"{}\" and \"{}\" would be \"{}\"",
                                         found_[*source].name, tensor.name, name));
    source = index;
  }

  static std::string hint(std::vector<std::uint64_t> found,
                          const std::vector<std::uint64_t>& wanted) {
    std::ranges::reverse(found);
    return found == wanted ? ", which is its transpose: weights are inputs by outputs" : "";
  }

  std::span<const FileTensor> found_;
  std::span<const CheckpointTensor> wanted_;
  const AssignmentRules& rules_;
  std::vector<std::string> found_names_, wanted_names_;
  std::map<std::string, std::size_t> places_;  ///< Of each name in `wanted_`.
  std::map<std::string, std::string> renamed_;
  std::vector<std::optional<std::size_t>> sources_;
  Mismatches mismatches_;
};

}  // namespace

Result<std::vector<std::optional<std::size_t>>> assign_tensors(
    std::span<const FileTensor> found, std::span<const CheckpointTensor> wanted,
    const AssignmentRules& rules) {
  return Assignment(found, wanted, rules).make();
}

Result<std::pair<std::string, std::string>> parse_rename(const std::string& text) {
  const std::size_t cut = text.rfind('=');
  if (cut == std::string::npos || cut == 0 || cut + 1 == text.size())
    return Error{
        Errc::invalid_argument,
        fmt::format("--map {}: write FROM=TO, the tensor's name where it is read and that in "
                    "the job's model",
                    text)};
  return std::pair(text.substr(0, cut), text.substr(cut + 1));
}

}  // namespace slime::tools

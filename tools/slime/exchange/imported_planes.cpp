#include "tools/slime/exchange/imported_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slime::tools {

ImportedPlanes::ImportedPlanes(const TensorFileReader& file,
                               std::span<const ImportedTensor> tensors,
                               const InitialValues& initial)
    : file_(file), initial_(initial) {
  for (const ImportedTensor& tensor : tensors) {
    planes_.resize(std::max<std::size_t>(planes_.size(), tensor.tensor.plane + 1));
    planes_[tensor.tensor.plane].tensors.push_back(&tensor);
  }
}

Status ImportedPlanes::read(std::size_t index, std::span<float> out) {
  Plane& plane = planes_[index];
  while (!out.empty()) {
    const std::uint64_t left = plane.tensors[plane.at]->tensor.info.count - plane.done;
    const auto piece = out.first(std::min<std::uint64_t>(out.size(), left));
    if (Status got = read_piece(plane, piece); !got) return got;
    plane.done += piece.size();
    out = out.subspan(piece.size());
    if (piece.size() < left) continue;
    ++plane.at;
    plane.done = 0;
    plane.stream.reset();
  }
  return ok();
}

Status ImportedPlanes::read_piece(Plane& plane, std::span<float> out) {
  const ImportedTensor& from = *plane.tensors[plane.at];
  if (!from.source) {
    if (from.tensor.plane == 0)
      initial_(from.tensor.info.first + plane.done, out);
    else
      std::ranges::fill(out, 0.0F);
    return ok();
  }
  if (!plane.stream) {
    auto stream = file_.open(*from.source);
    if (!stream) return stream.error();
    plane.stream = std::move(*stream);
  }
  if (Status got = plane.stream->read(out); !got) return got;
  const auto wrong =
      std::ranges::find_if_not(out, [](float number) { return std::isfinite(number); });
  if (wrong == out.end()) return ok();
  return Error{Errc::corruption,
               fmt::format("tensor \"{}\" has {} at position {}, which is no parameter of a model",
                           file_.tensors()[*from.source].name, *wrong,
                           plane.done + static_cast<std::uint64_t>(wrong - out.begin()))};
}

}  // namespace slime::tools

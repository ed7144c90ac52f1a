#include "trainer/data/idx_format.hpp"

#include <string>
#include <utility>

#include "trainer/data/idx_file.hpp"

namespace slime::trainer {

Result<Dataset> load_idx(std::span<const std::filesystem::path> files) {
  if (files.size() != 2)
    return Error{
        Errc::invalid_argument,
        "format \"idx\" takes two files, images and labels; found " + std::to_string(files.size())};
  auto images = read_idx(files[0], 3);
  if (!images) return Error{images.error().code, "images: " + images.error().context};
  auto labels = read_idx(files[1], 1);
  if (!labels) return Error{labels.error().code, "labels: " + labels.error().context};
  if (images->dimensions[0] != labels->dimensions[0])
    return Error{Errc::invalid_argument, files[0].string() + " has " +
                                             std::to_string(images->dimensions[0]) +
                                             " images but " + files[1].string() + " has " +
                                             std::to_string(labels->dimensions[0]) + " labels"};
  return Dataset({.shape = {images->dimensions[1], images->dimensions[2]},
                  .values = std::move(images->values),
                  .labels = std::move(labels->values),
                  .content_hash = (std::uint64_t{images->crc32} << 32) | labels->crc32});
}

}  // namespace slime::trainer

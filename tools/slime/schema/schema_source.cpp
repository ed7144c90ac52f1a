#include "tools/slime/schema/schema_source.hpp"

#include <kj/exception.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

/// Where a schema is looked for, and what was wrong with the first that did not compile.
struct Search {
  std::vector<fs::path> folders;
  std::string wrong;
};

/// One file, known by where it really is: however it is imported, it is one.
class FoundSchema final : public capnp::SchemaFile {
 public:
  FoundSchema(fs::path path, Search& search) : path_(std::move(path)), search_(search) {}

  kj::StringPtr getDisplayName() const override { return path_.c_str(); }
  kj::Array<const char> readContent() const override {
    std::ifstream file(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return kj::heapArray<const char>(text.data(), text.size());
  }
  kj::Maybe<kj::Own<capnp::SchemaFile>> import(kj::StringPtr target) const override {
    const std::string_view named(target.cStr(), target.size());
    if (!named.starts_with('/')) return found(path_.parent_path() / named);
    for (const fs::path& folder : search_.folders)
      KJ_IF_MAYBE (file, found(folder / named.substr(1))) return kj::mv(*file);
    return nullptr;
  }
  bool operator==(const capnp::SchemaFile& other) const override {
    return path_ == kj::downcast<const FoundSchema>(other).path_;
  }
  bool operator!=(const capnp::SchemaFile& other) const override { return !(*this == other); }
  std::size_t hashCode() const override { return fs::hash_value(path_); }
  void reportError(SourcePos start, SourcePos, kj::StringPtr message) const override {
    if (!search_.wrong.empty()) return;
    search_.wrong = path_.string() + ":" + std::to_string(start.line + 1) + ": " + message.cStr();
    if (search_.wrong.find("Import failed: /") != std::string::npos)
      search_.wrong += "; --import DIR names the folder to look in";
  }

 private:
  kj::Maybe<kj::Own<capnp::SchemaFile>> found(const fs::path& path) const {
    std::error_code failure;
    const fs::path real = fs::canonical(path, failure);
    if (failure || !fs::is_regular_file(real, failure)) return nullptr;
    return kj::Own<capnp::SchemaFile>(kj::heap<FoundSchema>(real, search_));
  }

  fs::path path_;
  Search& search_;
};

}  // namespace

struct SchemaSource::Inside {
  Search search;  // Outlives the parser, which has the files.
  capnp::SchemaParser parser;
  capnp::ParsedSchema root;
};

SchemaSource::SchemaSource(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
SchemaSource::SchemaSource(SchemaSource&&) noexcept = default;
SchemaSource& SchemaSource::operator=(SchemaSource&&) noexcept = default;
SchemaSource::~SchemaSource() = default;

capnp::ParsedSchema SchemaSource::root() const {
  return inside_->root;
}

Result<SchemaSource> SchemaSource::read(const std::string& file,
                                        std::span<const std::string> imports) {
  const std::string attempted = "reading schema " + file + ": ";
  std::error_code failure;
  const fs::path real = fs::canonical(file, failure);
  if (failure || !fs::is_regular_file(real, failure))
    return Error{Errc::not_found, attempted + "there is no such file"};
  auto inside = std::make_unique<Inside>();
  auto& folders = inside->search.folders;
  for (const std::string& folder : imports) {
    if (!fs::is_directory(folder, failure))
      return Error{Errc::not_found, attempted + "--import names no folder: " + folder};
    folders.emplace_back(folder);
  }
  for (fs::path above = real.parent_path(); above != above.root_path(); above = above.parent_path())
    folders.push_back(above);
  for (const char* folder : {"/usr/local/include", "/usr/include"}) folders.emplace_back(folder);
  try {
    inside->root = inside->parser.parseFile(kj::heap<FoundSchema>(real, inside->search));
  } catch (const kj::Exception& why) {
    // What is wrong elsewhere follows from the first error.
    if (inside->search.wrong.empty()) inside->search.wrong = why.getDescription().cStr();
  }
  if (!inside->search.wrong.empty())
    return Error{Errc::invalid_argument, attempted + inside->search.wrong};
  return SchemaSource(std::move(inside));
}

}  // namespace slime::tools

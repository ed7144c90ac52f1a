#include "tools/slime/settings/setting.hpp"

#include <cctype>

namespace slime::tools {

namespace {

// Ids of the annotations declared in schemas/job.capnp; Cap'n Proto generates no names for them.
constexpr std::uint64_t doc_id = 0xa4f81bb0c9d2e673;
constexpr std::uint64_t range_id = 0xb91f3ed05c4a7712;
constexpr std::uint64_t empty_means_id = 0x9d17e2a6b3c8f045;

template <class Proto>
std::string_view annotation(Proto proto, std::uint64_t id) {
  for (const auto candidate : proto.getAnnotations())
    if (candidate.getId() == id) {
      const auto text = candidate.getValue().getText();
      return {text.begin(), text.size()};
    }
  return {};
}

}  // namespace

std::string snake_case(std::string_view camel_case) {
  std::string snake;
  for (const char letter : camel_case) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isupper(byte)) snake += '_';
    snake += static_cast<char>(std::tolower(byte));
  }
  return snake;
}

std::string_view doc_of(capnp::schema::Field::Reader field) {
  return annotation(field, doc_id);
}

std::string_view doc_of(capnp::schema::Enumerant::Reader enumerant) {
  return annotation(enumerant, doc_id);
}

std::string Setting::variable() const {
  std::string variable = "SLIME_";
  for (const char letter : name)
    variable +=
        letter == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return variable;
}

std::vector<Setting> settings_of(capnp::StructSchema schema, std::string_view prefix) {
  std::vector<Setting> settings;
  for (const auto field : schema.getFields()) {
    const auto proto = field.getProto();
    settings.push_back({field, std::string(prefix) + snake_case(proto.getName().cStr()),
                        annotation(proto, doc_id), annotation(proto, range_id),
                        annotation(proto, empty_means_id)});
  }
  return settings;
}

std::vector<Setting> all_settings(capnp::StructSchema schema, std::string_view prefix) {
  const std::vector<Setting> direct = settings_of(schema, prefix);
  std::vector<Setting> all;
  for (const Setting& setting : direct)
    if (!setting.is_group()) all.push_back(setting);
  for (const Setting& setting : direct) {
    if (!setting.is_group()) continue;
    for (Setting& inner : all_settings(setting.field.getType().asStruct(), setting.name + "."))
      all.push_back(std::move(inner));
  }
  return all;
}

std::optional<Setting> find_setting(capnp::StructSchema schema, std::string_view prefix,
                                    std::string_view key) {
  for (Setting& setting : settings_of(schema, prefix))
    if (setting.key() == key) return std::move(setting);
  return std::nullopt;
}

std::vector<std::string> enum_names(capnp::EnumSchema schema) {
  std::vector<std::string> names;
  for (const auto enumerant : schema.getEnumerants())
    names.push_back(snake_case(enumerant.getProto().getName().cStr()));
  return names;
}

}  // namespace slime::tools

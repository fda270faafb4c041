#include <calib/driver/output/json_text.hpp>

#include <algorithm>

namespace calib {
namespace {

constexpr std::size_t line_length = 100;

bool is_flat(const json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const json& part) { return part.is_structured(); });
}

// Layer programs and settings may contain bytes that are no UTF-8; no measurement is lost by that.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void print(const json& value, const std::string& indent, std::string& out) {
  std::string line = dumped(value);
  if (!value.is_structured() || is_flat(value) || indent.size() + line.size() < line_length) {
    out += line;
    return;
  }
  const std::string deeper = indent + "  ";
  out += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, part] : value.items()) {
    out += separator + deeper;
    if (value.is_object()) out += dumped(key) + ": ";
    print(part, deeper, out);
    separator = ",\n";
  }
  out += '\n' + indent + (value.is_object() ? '}' : ']');
}

}  // namespace

std::string text_of(const json& value) {
  std::string out;
  print(value, "", out);
  return out + '\n';
}

std::string brief(const std::string& document) {
  json whole = json::parse(document);
  if (const auto conditions = whole.find("conditions"); conditions != whole.end())
    conditions->erase("launches");
  return dumped(whole);
}

}  // namespace calib

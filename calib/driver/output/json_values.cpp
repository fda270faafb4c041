#include <calib/driver/output/json_values.hpp>

#include <calib/format.hpp>

#include <algorithm>

namespace calib {
namespace {

bool fits_a_line(const json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const json& part) { return part.is_structured(); });
}

// Layer programs and settings may contain bytes that are no UTF-8; no measurement is lost by that.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void print(const json& value, const std::string& indent, std::string& out) {
  if (!value.is_structured() || value.empty() || fits_a_line(value)) {
    out += dumped(value);
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

json bounded(const char* key, const estimate& e) {
  const auto end = [&](double estimate::bounds::*which) {
    return e.interval ? json(rounded(*e.interval.*which)) : json(nullptr);
  };
  return {{key, rounded(e.median)},
          {"low", end(&estimate::bounds::low)},
          {"high", end(&estimate::bounds::high)}};
}

json value_of(const estimate& e, const char* unit, const std::string& remark) {
  json out = bounded("median", e);
  out.update({{"unit", unit}, {"n", e.n}, {"reached", e.reached()}});
  if (!remark.empty()) out["remark"] = remark;
  return out;
}

std::optional<estimate> value_from(const json_field& from, const std::string& unit) {
  if (from["unit"].text() != unit) from["unit"].expected('"' + unit + '"');
  (void)from["reached"].boolean();
  estimate out;
  out.n = from["n"].count();
  const json_field low = from["low"];
  const json_field high = from["high"];
  if (from["median"].is_null()) return std::nullopt;
  out.median = from["median"].number();
  if (low.is_null() && high.is_null()) return out;
  out.interval = estimate::bounds{low.number(), high.number()};
  if (out.interval->low > out.median) low.expected(format("at most the median, {}", out.median));
  if (out.interval->high < out.median) high.expected(format("at least the median, {}", out.median));
  return out;
}

estimate known_from(const json_field& from, const std::string& unit) {
  const std::optional<estimate> value = value_from(from, unit);
  if (!value) from["median"].expected("a number");
  return value.value_or(estimate{});
}

}  // namespace calib

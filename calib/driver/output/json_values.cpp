#include <calib/driver/output/json_values.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

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

// Nothing: it is not known.
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

// The forms of the values of a unit, by their names in the schema.
constexpr std::pair<const char*, const char*> units[] = {
    {"ns", "ns"}, {"ns/B", "ns_per_byte"}, {"GB/s", "rate"}};

std::string unit_form(std::string_view unit) {
  const auto name = [](const auto& one) { return std::string_view(one.first); };
  return std::string("#/$defs/") + std::ranges::find(units, unit, name)->second;
}

constexpr char form_of_values[] = R"({
  "value": {
    "description": "A measured value: the median over launches and the interval that holds it with 95 %, null where there were too few launches. Of a value that is not known the median is null, and a remark says why.",
    "type": "object",
    "required": ["median", "low", "high", "unit", "n", "reached"],
    "properties": {
      "median": {"type": ["number", "null"]},
      "low": {"type": ["number", "null"]},
      "high": {"type": ["number", "null"]},
      "unit": {"enum": ["ns", "ns/B", "GB/s"]},
      "n": {"description": "The number of launches.", "type": "integer", "minimum": 0},
      "reached": {"description": "Both ends of the interval lie within 5 % of the median; of L: of half a round trip, in which it is a difference.", "type": "boolean"},
      "remark": {"type": "string", "minLength": 1}
    },
    "if": {"properties": {"median": {"type": "null"}}},
    "then": {
      "required": ["remark"],
      "properties": {"low": {"type": "null"}, "high": {"type": "null"}, "reached": {"const": false}}
    },
    "oneOf": [
      {"properties": {"low": {"type": "null"}, "high": {"type": "null"}, "reached": {"const": false}}},
      {"properties": {"low": {"type": "number"}, "high": {"type": "number"}}}
    ]
  }
})";

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

json written(const std::string& text) { return text; }
json written(double number) { return rounded(number); }
json written(bool is) { return is; }
json written(unsigned count) { return count; }
json written(std::uint64_t count) { return count; }
json written(const std::optional<double>& number) {
  return number ? written(*number) : json(nullptr);
}

void read(const json_field& from, std::string& into) { into = from.text(); }
void read(const json_field& from, double& into) { into = from.number(); }
void read(const json_field& from, bool& into) { into = from.boolean(); }
void read(const json_field& from, std::uint64_t& into) { into = from.count(); }
void read(const json_field& from, unsigned& into) {
  constexpr unsigned most = std::numeric_limits<unsigned>::max();
  const std::uint64_t count = from.count();
  if (count > most) from.expected(format("a whole number of at most {}", most));
  into = static_cast<unsigned>(count);
}

void read(const json_field& from, std::optional<double>& into) {
  if (!from.is_null()) into = from.number();
}

json form_of(const std::string&) { return {{"type", "string"}}; }
json form_of(double) { return {{"type", "number"}}; }
json form_of(bool) { return {{"type", "boolean"}}; }
json form_of(unsigned) { return {{"type", "integer"}, {"minimum", 0}}; }
json form_of(std::uint64_t) { return {{"type", "integer"}, {"minimum", 0}}; }

json written(const exactly& value) { return value.text; }
void read(const json_field& from, const exactly& value) {
  if (from.text() != value.text) from.expected(format("\"{}\"", value.text));
}
json form_of(const exactly& value) { return {{"const", value.text}}; }

json written(const at_least_0& value) { return written(value.of); }
void read(const json_field& from, const at_least_0& into) {
  read(from, into.of);
  if (into.of < 0) from.expected("a number of at least 0");
}
json form_of(const at_least_0&) { return {{"type", "number"}, {"minimum", 0}}; }

json written(const fine& value) { return rounded(value.of * 1000) / 1000; }
void read(const json_field& from, const fine& into) { read(from, into.of); }
json form_of(const fine& value) { return form_of(value.of); }

json written(const name_in& value) { return value.of; }
void read(const json_field& from, const name_in& into) {
  read(from, into.of);
  if (from.good() && into.of.empty()) from.expected("a name");
}
json form_of(const name_in&) { return {{"type", "string"}, {"minLength", 1}}; }

json written(const known& value) { return value_of(value.of, value.unit, ""); }
void read(const json_field& from, const known& into) {
  const std::optional<estimate> value = value_from(from, into.unit);
  if (!value) from["median"].expected("a number");
  into.of = value.value_or(estimate{});
}
json form_of(const known& value) {
  return {{"$ref", unit_form(value.unit)}, {"properties", {{"median", {{"type", "number"}}}}}};
}

json written(const measured& value) {
  const logp::parameter& p = value.of;
  if (!p.value)
    return {{"median", nullptr},  {"low", nullptr}, {"high", nullptr},
            {"unit", value.unit}, {"n", 0},         {"reached", false},
            {"remark", p.remark}};
  json out = value_of(*p.value, value.unit, p.remark);
  out["reached"] = p.reached();
  return out;
}
void read(const json_field& from, const measured& into) {
  into.of.value = value_from(from, into.unit);
  if (const auto remark = from.find("remark")) into.of.remark = remark->text();
}
json form_of(const measured& value) { return {{"$ref", unit_form(value.unit)}}; }

json definitions_of_values() {
  json out = json::parse(form_of_values);
  for (const auto& [unit, name] : units)
    out[name] = {{"$ref", "#/$defs/value"}, {"properties", {{"unit", {{"const", unit}}}}}};
  return out;
}

}  // namespace calib

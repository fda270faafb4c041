#include <calib/driver/output/json_measured.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace calib {
namespace {

// The units, and the names of their definitions in the schema.
constexpr std::pair<const char*, const char*> unit_words[] = {
    {"ns", "ns"}, {"ns/B", "ns_per_byte"}, {"GB/s", "rate"}};

json reference_to(std::string_view unit) {
  const auto name = [](const auto& one) { return std::string_view(one.first); };
  return {{"$ref", format("#/$defs/{}", std::ranges::find(unit_words, unit, name)->second)}};
}

// Sets the interval from beside the median, which is known.
void read_interval(const json_field& from, estimate& into) {
  const json_field low = from["low"];
  const json_field high = from["high"];
  if (low.is_null() && high.is_null()) return;
  into.interval = estimate::bounds{low.number(), high.number()};
  if (into.interval->low > into.median) low.expected(format("at most the median, {}", into.median));
  if (into.interval->high < into.median)
    high.expected(format("at least the median, {}", into.median));
}

// Nothing: the value is not known.
std::optional<estimate> read_value(const json_field& from, value_record& into) {
  read(from, into);
  if (!into.median) return std::nullopt;
  estimate out{*into.median, std::nullopt, into.n};
  read_interval(from, out);
  return out;
}

// What the kinds of its fields do not say: both ends are known or none; a value that is not known
// has a remark.
constexpr char conditions_schema[] = R"({
  "if": {"properties": {"median": {"type": "null"}}},
  "then": {
    "required": ["remark"],
    "properties": {"low": {"type": "null"}, "high": {"type": "null"}, "reached": {"const": false}}
  },
  "oneOf": [
    {"properties": {"low": {"type": "null"}, "high": {"type": "null"}, "reached": {"const": false}}},
    {"properties": {"low": {"type": "number"}, "high": {"type": "number"}}}
  ]
})";

}  // namespace

json bounded(const char* key, const estimate& e) {
  const value_record v = record_of(e, "", "");
  return {{key, written(v.median)}, {"low", written(v.low)}, {"high", written(v.high)}};
}

estimate read_bounded(const json_field& from, const char* key) {
  estimate out{from[key].number(), std::nullopt, 0};
  read_interval(from, out);
  return out;
}

value_record record_of(const estimate& e, const char* unit, const std::string& remark) {
  value_record out{unit, e.median, std::nullopt, std::nullopt, e.n, e.reached(), remark};
  if (e.interval) {
    out.low = e.interval->low;
    out.high = e.interval->high;
  }
  return out;
}

json written(const known_value& value) { return written(record_of(value.of, value.unit, "")); }
void read(const json_field& from, const known_value& into) {
  value_record v{into.unit};
  const std::optional<estimate> value = read_value(from, v);
  if (!value) from["median"].expected("a number");
  into.of = value.value_or(estimate{});
}
json form_of(const known_value& value) {
  json out = reference_to(value.unit);
  out["properties"] = {{"median", form_of(double{})}};
  return out;
}

json written(const optional_value& value) {
  return value.of ? written(known_value{*value.of, value.unit}) : json(nullptr);
}
void read(const json_field& from, const optional_value& into) {
  read(from, known_value{into.of.emplace(), into.unit});
}
json form_of(const optional_value& value) {
  estimate any;
  return form_of(known_value{any, value.unit});
}

json written(const parameter_value& value) {
  const logp::parameter& p = value.of;
  value_record out = p.value ? record_of(*p.value, value.unit, p.remark) : value_record{value.unit};
  out.remark = p.remark;
  out.reached = p.reached();
  return written(out);
}
void read(const json_field& from, const parameter_value& into) {
  value_record v{into.unit};
  into.of.value = read_value(from, v);
  into.of.remark = std::move(v.remark);
}
json form_of(const parameter_value& value) { return reference_to(value.unit); }

json definitions_of_values() {
  json form = {{"description",
                "A measured value: the median over launches and the interval that holds it with 95 "
                "%, null where there were too few launches. Of a value that is not known the "
                "median is null, and a remark says why."}};
  form.update(form_of(value_record{""}));
  json names = json::array();
  json out = {{"value", nullptr}};
  for (const auto& [unit, name] : unit_words) {
    names.push_back(unit);
    out[name] = {{"$ref", "#/$defs/value"}, {"properties", {{"unit", form_of(exactly{unit})}}}};
  }
  form["properties"]["unit"] = {{"enum", names}};
  form.update(json::parse(conditions_schema));
  out["value"] = form;
  return out;
}

}  // namespace calib

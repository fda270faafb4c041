#include <calib/driver/output/json_values.hpp>

#include <calib/format.hpp>

#include <limits>

namespace calib {

json written(const std::string& text) { return text; }
json written(double number) { return rounded(number); }
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
json form_of(const std::optional<double>&) { return {{"type", {"number", "null"}}}; }

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

json written(const from_0_to_1& value) { return written(value.of); }
void read(const json_field& from, const from_0_to_1& into) {
  read(from, into.of);
  if (into.of < 0 || into.of > 1) from.expected("a number from 0 to 1");
}
json form_of(const from_0_to_1&) { return {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}; }

json written(const rounded_finely& value) { return rounded(value.of * 1000) / 1000; }
void read(const json_field& from, const rounded_finely& into) { read(from, into.of); }
json form_of(const rounded_finely& value) { return form_of(value.of); }

json written(const not_empty& value) { return written(nullable{value.of}); }
void read(const json_field& from, const not_empty& into) {
  read(from, into.of);
  if (into.of.empty()) from.expected("text that is not empty");
}
json form_of(const not_empty&) { return {{"type", "string"}, {"minLength", 1}}; }

}  // namespace calib

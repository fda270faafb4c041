// The plain values of fields (json_record.hpp). Each kind has three functions: written(), read()
// and form_of(), which is its JSON Schema.
#pragma once

#include <calib/driver/output/json_field.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

namespace calib {

json written(const std::string& text);
json written(double number);  // rounded()
template <std::integral T>
json written(T is) {
  return is;
}
json written(const std::optional<double>& number);  // null: none
void read(const json_field& from, std::string& into);
void read(const json_field& from, double& into);
void read(const json_field& from, bool& into);
void read(const json_field& from, unsigned& into);
void read(const json_field& from, std::uint64_t& into);
void read(const json_field& from, std::optional<double>& into);
json form_of(const std::string&);
json form_of(double);
json form_of(bool);
template <std::unsigned_integral T>
json form_of(T) {
  return {{"type", "integer"}, {"minimum", 0}};
}
json form_of(const std::optional<double>&);

// Each of the following refers to a value and says how it is written and checked.

struct exactly {
  const char* text;
};
json written(const exactly& value);
void read(const json_field& from, const exactly& value);
json form_of(const exactly& value);

struct at_least_0 {
  double& of;
};
json written(const at_least_0& value);
void read(const json_field& from, const at_least_0& into);
json form_of(const at_least_0&);

struct from_0_to_1 {
  double& of;
};
json written(const from_0_to_1& value);
void read(const json_field& from, const from_0_to_1& into);
json form_of(const from_0_to_1&);

// Rounded to a thousandth of what rounded() keeps.
struct rounded_finely {
  double& of;
};
json written(const rounded_finely& value);
void read(const json_field& from, const rounded_finely& into);
json form_of(const rounded_finely&);

// Text; empty text is null.
struct not_empty {
  std::string& of;
};
json written(const not_empty& value);
void read(const json_field& from, const not_empty& into);
json form_of(const not_empty&);

// Empty text, or 0, is null in the file.
template <class T>
struct nullable {
  T& of;
};
template <class T>
nullable(T&) -> nullable<T>;
template <class T>
json written(const nullable<T>& value) {
  return value.of == T{} ? json(nullptr) : written(value.of);
}
template <class T>
void read(const json_field& from, const nullable<T>& into) {
  if (!from.is_null()) read(from, into.of);
}
template <class T>
json form_of(const nullable<T>& value) {
  json out = form_of(value.of);
  out["type"] = {out["type"], "null"};
  if (out.contains("minimum")) out["minimum"] = 1;  // 0 is null
  return out;
}

}  // namespace calib

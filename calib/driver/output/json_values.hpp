// The values of fields (json_record.hpp), and the layout of a whole document. Each kind of value
// has three functions: written(), read() and form_of(), which is its JSON Schema.
#pragma once

#include <calib/driver/output/json_field.hpp>
#include <calib/logp/summary.hpp>
#include <calib/statistics.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace calib {

// As dump(2), but an object or list that contains no other, or is short, stays on one line; a
// newline at the end.
std::string text_of(const json& value);

// The median under this key, and the ends of the interval, or nulls.
json bounded(const char* key, const estimate& e);

json value_of(const estimate& e, const char* unit, const std::string& remark);

json written(const std::string& text);
json written(double number);  // rounded()
json written(bool is);
json written(unsigned count);
json written(std::uint64_t count);
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
json form_of(unsigned);
json form_of(std::uint64_t);

// The following say more of a value that they refer to.

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

// A G, of which thousandths matter.
struct fine {
  double& of;
};
json written(const fine& value);
void read(const json_field& from, const fine& into);
json form_of(const fine& value);

// Text that is not empty.
struct name_in {
  std::string& of;
};
json written(const name_in& value);
void read(const json_field& from, const name_in& into);
json form_of(const name_in&);

// null: empty text, or 0.
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

// A field that is left out where it is empty.
template <class T>
struct unless_empty {
  T& of;
};
template <class T>
unless_empty(T&) -> unless_empty<T>;
template <class T>
json written(const unless_empty<T>& value) {
  return value.of.empty() ? json(nullptr) : written(value.of);
}
template <class T>
void read(const json_field& from, const unless_empty<T>& into) {
  read(from, into.of);
}
template <class T>
json form_of(const unless_empty<T>& value) {
  return form_of(value.of);
}

// A measured value in this unit, which must be known.
struct known {
  estimate& of;
  const char* unit;
};
json written(const known& value);
void read(const json_field& from, const known& into);
json form_of(const known& value);

// A measured value in this unit; one that is not known has a remark.
struct measured {
  logp::parameter& of;
  const char* unit;
};
json written(const measured& value);
void read(const json_field& from, const measured& into);
json form_of(const measured& value);

// The definitions to which the forms of the measured values refer.
json definitions_of_values();

}  // namespace calib

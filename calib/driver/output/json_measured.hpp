// A measured value as JSON: the median over launches and its interval.
#pragma once

#include <calib/driver/output/json_record.hpp>
#include <calib/logp/summary.hpp>
#include <calib/statistics.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace calib {

// The median under this key, and the ends of the interval, or nulls.
json bounded(const char* key, const estimate& e);
estimate read_bounded(const json_field& from, const char* key);

struct value_record {
  const char* unit;
  std::optional<double> median = {}, low = {}, high = {};
  std::uint64_t n = 0;
  bool reached = false;
  std::string remark = {};
};
template <class Io>
void describe(Io& io, value_record& v) {
  io("median", v.median);
  io("low", v.low);
  io("high", v.high);
  io("unit", exactly{v.unit});
  io("n", v.n, "The number of launches.");
  io("reached", v.reached,
     "Both ends of the interval lie within 5 % of the median; of L: of half a round trip, in which "
     "it is a difference.");
  io.may("remark", not_empty{v.remark});
}
value_record record_of(const estimate& e, const char* unit, const std::string& remark);

// One that must be known.
struct known_value {
  estimate& of;
  const char* unit;
};
json written(const known_value& value);
void read(const json_field& from, const known_value& into);
json form_of(const known_value& value);

// One that may be missing: a field of io.may().
struct optional_value {
  std::optional<estimate>& of;
  const char* unit;
};
json written(const optional_value& value);
void read(const json_field& from, const optional_value& into);
json form_of(const optional_value& value);

// One that may be unknown; a remark says why.
struct parameter_value {
  logp::parameter& of;
  const char* unit;
};
json written(const parameter_value& value);
void read(const json_field& from, const parameter_value& into);
json form_of(const parameter_value& value);

// The definitions to which these forms refer.
json definitions_of_values();

}  // namespace calib

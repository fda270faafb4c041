#include <calib/driver/measure/machine.hpp>
#include <calib/driver/measure/measurement_fields.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/report/parts.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace calib {
namespace {

constexpr std::array time_units = {std::pair("ms", 1e6), std::pair("us", 1e3),
                                   std::pair("ns", 1.0)};

// The last one where all are larger.
const std::pair<const char*, double>& unit_for(double most) {
  const auto at =
      std::ranges::find_if(time_units, [&](const auto& one) { return most >= one.second; });
  return at == time_units.end() ? time_units.back() : *at;
}

}  // namespace

bool read_measurement(const json_field& whole, measurement& into) {
  read(whole["machine"], into.machine);
  into.complete = whole["complete"].boolean();
  const json_field conditions = whole["conditions"];
  json_reader io(conditions);
  describe_conditions(io, into, "");
  if (const auto missing = conditions.find("missing")) read(*missing, into.missing);
  return whole.good();
}

void add_head(const measurement& from, html::page& into) {
  into.paragraph(headline(from.machine));
  add_warnings(from, into);
}

void add_warnings(const measurement& from, html::page& into) {
  for (const auto* lines : {&from.failed, &from.unfit})
    for (const std::string& line : *lines) into.first_warning(line);
  if (!from.complete) into.first_warning("the measurement ended early");
}

void add_remarks(const measurement& from, html::page& into) {
  into.list(from.missing);
  into.list(from.remarks);
}

measured_value read_measured(const json_field& from) {
  measured_value out;
  out.unit = from["unit"].text();
  const char* unit = out.unit == "GB/s" ? "GB/s" : out.unit == "ns/B" ? "ns/B" : "ns";
  logp::parameter value;
  read(from, parameter_value{value, unit});
  out.is = value.value;
  return out;
}

estimate percent(const estimate& part) { return divided(part, 0.01); }

void time_unit::include(const estimate& ns) { most_ = std::max(most_, ns.median); }
std::string time_unit::name() const { return unit_for(most_).first; }
estimate time_unit::of(const estimate& ns) const { return divided(ns, unit_for(most_).second); }

std::string file_name(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.'; }, '-');
  return text;
}

}  // namespace calib

#include <calib/driver/dials/sweep.hpp>

#include <calib/driver/dials/dial_values.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

// Enough for the longest latency: a flood needs (round trip + 2 x) / W between its messages.
constexpr char credits[] = "AM_CREDITS=512";

// Beyond the round trip and the gap of any value, in all launches alike.
unsigned spacing_us(const dial_values& values) {
  return static_cast<unsigned>(3 * std::ranges::max(values.times) / 1000) + 100;
}

launch_spec spec_for(launch_spec of, const std::string& setting) {
  of.name = setting;
  if (setting != no_setting) of.variables.push_back("AM_DIAL=" + setting);
  return of;
}

}  // namespace

// An overhead is part of the gap, and either hides the time of the bytes.
std::span<const measured_dial> all_dials() {
  using enum parameter;
  static const measured_dial all[] = {{"L", L, {o_s, o_r, g, G}}, {"o_s", o_s, {o_r, L}},
                                      {"o_r", o_r, {o_s, L}},     {"g_s", g, {o_s, o_r, L}},
                                      {"g_r", g, {o_s, o_r, L}},  {"G", G, {o_s, o_r, L, g}}};
  return all;
}

dial_values usual_dial_values() { return {{1e3, 2e3, 5e3, 2e4, 1e5}, {0.5, 1, 2, 5, 10}}; }
dial_values quick_dial_values() { return {{5e3, 5e4}, {1, 5}}; }

std::vector<std::string> dialled_transports() {
  std::vector<std::string> out = signature_transports();
  std::erase(out, "self");
  return out;
}

catalogue find_dialled(const std::vector<std::string>& transport_names, const dial_values& values) {
  catalogue bare = find_signatures(transport_names);
  catalogue out;
  out.missing = std::move(bare.missing);
  std::erase_if(bare.specs, [](const launch_spec& one) { return !is_ours(one.layer); });
  for (launch_spec& one : bare.specs) {
    const auto signature = std::ranges::find(one.command, "--signature");
    *signature = "--dialled";
    one.command.erase(std::next(signature), one.command.end());  // what suits signatures
    one.sample_divisor = 1;
    one.line = false;  // dials are compared within a round, whose launches follow each other
    one.turns = 1;
    one.command.insert(std::next(signature), {"--spacing-us", std::to_string(spacing_us(values))});
    one.variables.insert(one.variables.end(), {credits, "AM_WAIT=spin"});
    out.specs.push_back(spec_for(one, no_setting));
    out.specs.push_back(spec_for(one, zero_setting));
    for (const measured_dial& which : all_dials())
      for (const double value : values.of(which))
        out.specs.push_back(spec_for(one, dial_setting(which.name, value)));
  }
  return out;
}

}  // namespace calib

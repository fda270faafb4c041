// What `am-calibrate dials` launches: each dial of AM_DIAL at each of its values, and beside them
// AM_DIAL=0, which all of them are compared with, and no dial at all.
#pragma once

#include <calib/driver/launch/catalogue.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace calib {

// What is measured at each value.
enum class parameter : std::size_t { rtt, o_s, o_r, L, g, G };
inline constexpr std::size_t parameter_count = 6;
inline constexpr std::array<const char*, parameter_count> parameter_names = {"rtt", "o_s", "o_r",
                                                                             "L",   "g",   "G"};
constexpr const char* unit_of(parameter which) { return which == parameter::G ? "ns/B" : "ns"; }

struct measured_dial {
  const char* name;              // in AM_DIAL
  parameter changes;             // the one that it is to change
  std::vector<parameter> keeps;  // those that it must not change
};
std::span<const measured_dial> all_dials();

// Of the dial's parameter, in its unit.
struct dial_values {
  std::vector<double> times;
  std::vector<double> byte_times;

  [[nodiscard]] const std::vector<double>& of(const measured_dial& which) const {
    return which.changes == parameter::G ? byte_times : times;
  }
};
dial_values usual_dial_values();
dial_values quick_dial_values();

inline constexpr char zero_setting[] = "0";  // the apparatus, and nothing added
inline constexpr char no_setting[] = "none";

// The transports that a message between two ranks crosses.
std::vector<std::string> dialled_transports();

// A spec for each setting over each of these; its name is the setting.
catalogue find_dialled(const std::vector<std::string>& transport_names, const dial_values& values);

}  // namespace calib

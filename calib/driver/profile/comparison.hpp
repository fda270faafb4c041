// Two profiles compared: which parameters have become better or worse, as far as their intervals
// show.
#pragma once

#include <calib/driver/output/grid.hpp>
#include <calib/driver/profile/profile.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

enum class outcome { same, better, worse, unknown };

// One parameter of both profiles.
struct compared_parameter {
  std::string name;
  std::string unit;
  std::optional<estimate> before, after;
  calib::outcome outcome = calib::outcome::unknown;
  std::string reason;  // why the outcome is unknown
};

struct compared_layer {
  std::string name;
  bool own;  // libam's, not a peer's
  std::vector<compared_parameter> parameters;
};

struct comparison {
  std::string conditions;  // which of both profiles are compared; empty: neither has any
  bool apart = false;      // they have no condition in common, and only layers without one count
  std::string unlike;      // why no layer that depends on conditions is judged; empty: one may be
  std::vector<compared_layer> layers;                // of both profiles, in the order of the first
  std::vector<std::string> only_before, only_after;  // the names of the other layers

  // The number of libam's parameters with this outcome; those of peers decide nothing.
  [[nodiscard]] std::size_t count(outcome which) const;
  // Why it is no verdict on libam's messages, in one line; empty: it is one.
  [[nodiscard]] std::string why_not_judged() const;
};

// A value that has an interval, and the quantity by which its accuracy is judged: that of which it
// is a part, or else the value itself.
struct scaled_estimate {
  estimate value;
  double scale;
};

// A difference of up to `slack` means nothing. Both values have intervals.
outcome compare(const scaled_estimate& before, const scaled_estimate& after, double slack);

comparison compare(const profile& before, const profile& after);

// A profile and its file.
struct comparison_side {
  std::string file;
  const profile& is;
};
// What speaks against their figures: A or B is incomplete or unfit, or they are of two machines.
std::vector<std::string> objections_to(const comparison_side& before, const comparison_side& after);

// The outcomes of a layer with their figures, and of how many parameters of libam's which one is.
grid grid_of(const compared_layer& from, bool colour);
std::string count_line(const comparison& from);
// Of libam's: "shm g, tcp L".
std::string worse_of(const comparison& from);
// The outcomes with their figures. `colour`: for a terminal.
std::string table_of(const comparison& from, bool colour);

}  // namespace calib

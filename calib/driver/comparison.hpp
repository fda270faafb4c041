// What has become better or worse from one profile to another, as far as their intervals can tell:
// the verdicts, without their table.
#pragma once

#include <calib/driver/profile.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

enum class standing { same, better, worse, unknown };

// One parameter in both.
struct compared {
  std::string name;
  std::string unit;
  std::optional<estimate> before, after;
  standing is = standing::unknown;
  std::string why;  // it is unknown
};

struct compared_layer {
  std::string name;
  bool decides;  // it is libam's own
  std::vector<compared> parameters;
};

struct comparison {
  std::vector<compared_layer> layers;                // that are in both, in the order of the first
  std::vector<std::string> only_before, only_after;  // the others, as they are called

  // So many parameters of libam's own layers; those of its peers decide nothing.
  [[nodiscard]] std::size_t count(standing which) const;
};

// A value that has an interval, and what it is a part of: its own size, if of nothing else.
struct weighed {
  estimate value;
  double scale;
};

// How two of them stand to each other, if a difference of `slack` means nothing.
standing compare(const weighed& before, const weighed& after, double slack);

comparison compare(const profile& before, const profile& after);

}  // namespace calib

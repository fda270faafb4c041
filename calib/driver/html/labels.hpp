// Labels at the ends of curves, which may end at one place: they are set apart from each other.
#pragma once

#include <cstddef>
#include <vector>

namespace calib::html {

struct end_label {
  double top;  // per cent
  std::size_t series;
};

// Puts them in the order in which they stand, each as near to its place as the others allow, and
// none below 100.
void set_apart(std::vector<end_label>& labels);

}  // namespace calib::html

// What am-suite measures: a program as one layer runs it.
#pragma once

#include <calib/driver/launch/catalogue.hpp>

#include <compare>
#include <string>

namespace calib::suite {

struct entry {
  std::string program;    // "radix"
  std::string layer;      // "am-shm", "openmpi", "mpich", or "serial"
  std::string variant;    // of the program
  std::string transport;  // "shm", "tcp", "ucx"; "self" of one rank
  unsigned ranks = 2;
  std::string dial = {};  // the value of AM_DIAL; "": it is not set

  // Under which its launches are kept.
  [[nodiscard]] measured_layer key() const;
  [[nodiscard]] bool is_libam() const { return layer.starts_with("am-"); }

  auto operator<=>(const entry&) const = default;
};

// "radix stores shm"
std::string line_name(const entry& of);

}  // namespace calib::suite

// What several launches say together: every parameter with its interval, what kind of layer it is,
// and what must be said of it.
#pragma once

#include <calib/logp/reading.hpp>
#include <calib/statistics.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace calib::logp {

// A parameter over all launches. Without a value it cannot be known; the remark says why.
struct parameter {
  std::string name;
  std::optional<estimate> value;
  std::string remark;
  std::optional<double> part_of = {};  // what it is a small difference in, if it is one

  [[nodiscard]] bool reached() const {
    return value && (part_of ? value->reached(*part_of) : value->reached());
  }
};

struct summary {
  std::vector<parameter> parameters;  // o_s o_r o_s_stream o_r_stream g L rtt, in this order
  bool overhead_bound = false;
  bool window_bound = false;
  bool aggregating = false;
  std::vector<std::string> remarks;

  [[nodiscard]] const parameter& operator[](std::string_view name) const;
};

// One reading for each launch; at least one.
summary summarise(std::span<const reading> launches, std::uint64_t window);

}  // namespace calib::logp

// The LogP parameters over several launches: every parameter with its interval, and the
// classification of the layer with its remarks.
#pragma once

#include <calib/logp/launch_parameters.hpp>
#include <calib/statistics.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace calib::logp {

// A parameter over all launches. Without a value it is unknown, and the remark says why.
struct parameter {
  std::string name;
  std::optional<estimate> value;
  std::string remark;
  std::optional<double> part_of = {};  // the larger value, if this one is a small difference in it

  [[nodiscard]] bool reached() const {
    return value && (part_of ? value->reached(*part_of) : value->reached());
  }
};

struct summary {
  std::vector<parameter> parameters;  // in this order: o_s o_r o_s_stream o_r_stream g L rtt
  bool overhead_bound = false;
  bool window_bound = false;
  bool aggregating = false;
  std::vector<std::string> remarks;

  [[nodiscard]] const parameter& operator[](std::string_view name) const;
};

// The parameters of each launch; at least one launch.
summary summarise(std::span<const launch_parameters> launches, std::uint64_t window);

}  // namespace calib::logp

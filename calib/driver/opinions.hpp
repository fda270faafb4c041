// What others would say of a layer, and what LogP and LogGP foretell that they were not fitted to:
// Hoefler's method beside ours, start-up time and peak rate, an exchange, and several processes.
#pragma once

#include <calib/driver/launch.hpp>
#include <calib/driver/validating.hpp>
#include <calib/logp/points.hpp>
#include <calib/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace calib {

// A parameter of the second opinion, and by how many percent of ours it is above ours.
struct second_value {
  estimate value;
  std::optional<double> off;  // none: of ours no part can be asked for
};

struct second_opinion {
  double bytes;  // of the pieces that o is of
  second_value o, g, G;
};

// T(n) = T0 + n / R_inf.
struct startup_fit {
  estimate T0;     // ns
  estimate R_inf;  // GB/s
};

struct exchange_check {
  estimate measured, predicted;  // ns
  double off;                    // percent of what was measured
  std::string remark;
};

struct opinions {
  std::optional<second_opinion> prtt;
  std::optional<startup_fit> startup;
  std::optional<exchange_check> exchange;
  std::optional<validation_checks> validation;  // none: nobody would measure it of this layer
};

// From the launches of one layer; all but its validation.
opinions opinions_of(std::span<const logp::points> launches);

}  // namespace calib

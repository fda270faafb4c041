// Checks of a layer's LogP and LogGP parameters by figures that they were not fitted to: PRTT
// (Hoefler's method), start-up time and peak rate, an exchange, and several ranks.
#pragma once

#include <calib/driver/profile/multi_rank.hpp>
#include <calib/logp/points.hpp>
#include <calib/statistics.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace calib {

// A parameter by PRTT, and how far it is above ours.
struct prtt_value {
  estimate value;
  std::optional<double> off_percent;  // of ours; none: ours is 0 in most launches
  std::string why_off = {};  // the assumption of PRTT that does not hold; empty: both agree
};

struct prtt_check {
  double bytes;  // of the pieces for which o is taken
  prtt_value o, g, G;
};

// T(n) = T0 + n / R_inf.
struct startup_fit {
  estimate T0;     // ns
  estimate R_inf;  // GB/s
};

// Of the two directions (logp/loggp.hpp).
struct direction_overlap {
  estimate ratio;
  // Noise leads beyond what there can be.
  [[nodiscard]] double possible() const { return std::clamp(ratio.median, 0.0, 1.0); }
};

struct exchange_time {
  estimate measured, predicted;  // ns
  double off_percent;            // of the measured time
  std::string remark;
  std::optional<estimate> in_turn = {};  // ns, predicted without the overlap
};

// Of pieces in memory that is used again and again; and of pieces that are in no cache.
struct exchange_check : exchange_time {
  std::optional<exchange_time> uncached = {};
  std::optional<direction_overlap> both_ways = {};
};

struct cross_checks {
  std::optional<prtt_check> prtt;
  std::optional<startup_fit> startup;
  std::optional<exchange_check> exchange;
  std::optional<multi_rank_checks> multi_rank;  // none: never measured for this layer
};

// From the launches of one layer; all but multi_rank.
cross_checks cross_checks_of(std::span<const logp::points> launches);

// What is not as the parameters say.
std::vector<std::string> remarks_of(const cross_checks& from);

}  // namespace calib

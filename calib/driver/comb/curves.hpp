// The curves of COMB, from what launches have reported: computed within each round, then estimated
// over the rounds.
#pragma once

#include <calib/driver/comb/comb_result.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace calib {

// What a round has of one curve: by iterations, the figures by name.
using comb_figures = std::map<std::string, double>;
using comb_round = std::map<std::uint64_t, comb_figures>;
using comb_rounds = std::map<unsigned, comb_round>;

// Of the launches of this layer that have not failed.
std::map<comb_case, comb_rounds> collect_curves(const std::vector<launch>& launches,
                                                const measured_layer& layer);

// Without points, where no round has a curve.
polling_curve polling_of(const comb_case& of, const comb_rounds& rounds);
pww_curve pww_of(const comb_case& of, const comb_rounds& rounds);

}  // namespace calib

// The medians of all launches, from which rows, ratios and remarks are made.
#pragma once

#include <calib/driver/launch/launch.hpp>
#include <calib/driver/peers/metric.hpp>
#include <calib/statistics.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace calib {

// In ns, by layer and metric, variant and round.
using by_round = std::map<unsigned, double>;
using by_variant = std::map<std::string, by_round>;
using median_map = std::map<std::pair<measured_layer, metric>, by_variant>;

// Without the trial and without launches that failed.
median_map collect_medians(const std::vector<launch>& launches);

// The metrics of rows and ratios, in the order of the tables.
std::vector<metric> metrics_of(const median_map& all);

std::vector<double> values_of(const by_round& rounds);

// The variant that was measured in most rounds; among several the one with the lowest median.
// Null: there is none.
const by_variant::value_type* best_variant(const median_map& all, const measured_layer& layer,
                                           const metric& metric);

// `combine` of both values in each round that both have. Nothing: they have no round in common.
template <class Combine>
std::optional<estimate> within_rounds(const by_variant::value_type* one,
                                      const by_variant::value_type* other, Combine&& combine) {
  if (one == nullptr || other == nullptr) return std::nullopt;
  std::vector<double> out;
  for (const auto& [round, value] : one->second)
    if (const auto theirs = other->second.find(round); theirs != other->second.end())
      out.push_back(combine(value, theirs->second));
  if (out.empty()) return std::nullopt;
  return estimate_of(std::move(out));
}

std::optional<estimate> ratio_within_rounds(const by_variant::value_type* one,
                                            const by_variant::value_type* other);

}  // namespace calib

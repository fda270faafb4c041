// The medians of all launches, sorted out: what rows, ratios and remarks are made of.
#pragma once

#include <calib/driver/launch.hpp>
#include <calib/driver/subject.hpp>
#include <calib/statistics.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace calib {

// In ns, by layer and transport, subject, variant and round.
using by_round = std::map<unsigned, double>;
using by_variant = std::map<std::string, by_round>;
using measured = std::map<std::pair<carrier, subject>, by_variant>;

// Without the trial and without launches that failed.
measured sort_out(const std::vector<launch>& launches);

// What rows and ratios are about, in the order of the tables.
std::vector<subject> subjects_of(const measured& all);

std::vector<double> values_of(const by_round& rounds);

// Of the variants that were measured in most rounds the one with the lowest median; null: none.
const by_variant::value_type* best(const measured& all, const carrier& who, const subject& about);

// What `combine` makes of both in the rounds that both have; nothing if there are none.
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

std::optional<estimate> times(const by_variant::value_type* one,
                              const by_variant::value_type* other);

}  // namespace calib

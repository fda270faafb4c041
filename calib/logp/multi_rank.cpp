#include <calib/logp/multi_rank.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <cmath>

namespace calib::logp {
namespace {

constexpr double equal_within = 0.05;  // smaller relative differences count as equal
// Limits of the gap's growth per sender: Culler et al. found 6 for 7, 16.8 for 15 and 3 for 3.
constexpr double least_factor = 0.8;
constexpr double most_factor = 1.25;

bool same(double times) { return std::abs(times - 1) <= equal_within; }

}  // namespace

std::string verdict_on_pairs(const pattern_ratios& to) {
  const std::string how = format("g x {:.2f}, rtt x {:.2f}", to.g, to.rtt);
  if (same(to.g) && same(to.rtt)) return "the same to two digits: " + how;
  if (std::max(to.g, to.rtt) > 1 + equal_within) return "pairs disturb each other: " + how;
  return "faster than one pair alone, which must have been disturbed: " + how;
}

std::string verdict_on_one_to_many(const pattern_ratios& to) {
  const std::string how = format("g x {:.2f}", to.g);
  if (same(to.g)) return "the same gap, determined by the sender: " + how;
  if (to.g < 1) return "a shorter gap; a single receiver had determined it: " + how;
  return "a longer gap, although no receiver is contended: " + how;
}

std::string verdict_on_many_to_one(const pattern_ratios& to, unsigned senders) {
  const std::string how = format("g x {:.1f} with {} senders", to.g, senders);
  const double part = to.g / senders;
  if (part < least_factor) return "the gap grows less than the senders: " + how;
  if (part > most_factor) return "the gap grows more than the senders: " + how;
  return "the gap grows with the senders: " + how;
}

}  // namespace calib::logp

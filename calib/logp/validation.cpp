#include <calib/format.hpp>
#include <calib/logp/validation.hpp>

#include <algorithm>
#include <cmath>

namespace calib::logp {
namespace {

constexpr double two_digits = 0.05;  // what is as near as this is the same
// Of the times as many senders: Culler et al. found 6 for 7, 16.8 for 15 and 3 for 3.
constexpr double about_least = 0.8;
constexpr double about_most = 1.25;

bool same(double times) { return std::abs(times - 1) <= two_digits; }

}  // namespace

std::string verdict_on_pairs(const change& to) {
  const std::string how = format("g x {:.2f}, rtt x {:.2f}", to.g, to.rtt);
  if (same(to.g) && same(to.rtt)) return "the same to two digits: " + how;
  if (std::max(to.g, to.rtt) > 1 + two_digits) return "pairs disturb each other: " + how;
  return "faster than one pair alone, which must have been disturbed: " + how;
}

std::string verdict_on_one_to_many(const change& to) {
  const std::string how = format("g x {:.2f}", to.g);
  if (same(to.g)) return "the same gap, which the sender sets: " + how;
  if (to.g < 1) return "a shorter gap, which a single receiver had set: " + how;
  return "a longer gap, though nobody contends for a receiver: " + how;
}

std::string verdict_on_many_to_one(const change& to, unsigned senders) {
  const std::string how = format("g x {:.1f} with {} senders", to.g, senders);
  const double part = to.g / senders;
  if (part < about_least) return "the gap grows less than the senders: " + how;
  if (part > about_most) return "the gap grows more than the senders: " + how;
  return "the gap grows with the senders: " + how;
}

}  // namespace calib::logp

// Whether LogP holds for more than two processes, by the rules of Culler et al.: the parameters of
// one process that asks another, while others do the same.
//
//   all pairs at once: the parameters stay the same to two digits
//   one asks many: the gap may only fall, where a single receiver had set it
//   K ask one: the gap of each grows K times
#pragma once

#include <string>

namespace calib::logp {

// What a pattern has made of the parameters of one who asks: times what they are alone.
struct change {
  double g, rtt;
};

// In words.
std::string verdict_on_pairs(const change& to);
std::string verdict_on_one_to_many(const change& to);
std::string verdict_on_many_to_one(const change& to, unsigned senders);

}  // namespace calib::logp

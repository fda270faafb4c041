// Whether LogP holds for more than two processes, by the rules of Culler et al.: the parameters of
// one requester while others send requests, too.
//
//   all pairs at once: the parameters stay the same to two digits
//   one to many: the gap may only fall, if the single receiver had set it
//   many to one: the gap grows by the number of senders
#pragma once

#include <string>

namespace calib::logp {

// The parameters of one requester in a pattern, as multiples of its parameters alone.
struct pattern_ratios {
  double g, rtt;
};

// The verdicts as text.
std::string verdict_on_pairs(const pattern_ratios& to);
std::string verdict_on_one_to_many(const pattern_ratios& to);
std::string verdict_on_many_to_one(const pattern_ratios& to, unsigned senders);

}  // namespace calib::logp

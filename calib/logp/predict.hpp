// What LogGP says of pieces that it was not fitted to: pieces that follow each other take their
// gaps, and the last of them a trip besides.
#pragma once

#include <calib/logp/loggp.hpp>

#include <optional>
#include <span>
#include <vector>

namespace calib::logp {

// The gap after a piece: on the line of its segment; between two segments on the way from the end
// of the one to the beginning of the other, because nobody has looked there; outside all of them on
// the nearest. There is at least one segment.
double gap_at(std::span<const segment> lines, double bytes);

// What one kind of pieces costs.
struct tariff {
  std::vector<segment> lines;
  double tail = 0;  // what a piece takes until it is known to be there, beside its gap
};

struct priced {
  const tariff* by;
  double bytes;
};

// How long these pieces take in a row, until the last one is known to be there; the tail is that of
// the last one's kind. Nothing: of some kind no gap is known.
std::optional<double> predict(std::span<const priced> pieces);

}  // namespace calib::logp

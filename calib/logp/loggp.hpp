// LogGP: how the gap between pieces of data grows with their size, g(n) = g0 + n G, in segments
// where a protocol changes; and the time that it predicts for pieces it was not fitted to.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace calib::logp {

struct sized_gap {
  double bytes;
  double ns;  // between consecutive pieces of that size
};

// For pieces of `from` to `to` bytes.
struct gap_segment {
  double from, to;
  double g0;  // ns
  double G;   // ns/B
};

// The fewest segments that hold every point to within 10 %; the points are sorted by size. Each
// segment is the least-squares fit of the relative errors. A gap is the difference of two
// measurements: a gap of 0 or less is noise and is left out.
std::vector<gap_segment> fit_segments(std::span<const sized_gap> points);

// The gap after a piece, by its segment. Between two segments, where nothing was measured, it is
// interpolated from the end of the one to the beginning of the other; outside all segments the
// nearest one is extended. There is at least one segment.
double gap_at(std::span<const gap_segment> segments, double bytes);

// What pieces of one kind cost.
struct piece_cost {
  std::vector<gap_segment> segments;
  double completion = 0;  // ns, the time to the confirmed arrival beyond the gap
};

struct planned_piece {
  const piece_cost* cost;
  double bytes;
  bool comes = false;  // in the other direction, after all pieces before it have gone
};

// The part of the time of the shorter direction that passes while pieces move in the longer one, by
// the gaps of pieces one way, of pieces the other way, and of pairs of both. 0: the directions take
// turns. 1: neither costs the other any time. Noise may lead beyond both.
double overlap_of(double one_way, double other_way, double pair);

// The time of consecutive pieces until the last is known to have arrived: the sum of their gaps,
// less the overlap of the two directions, and the completion of the last piece's kind. Nothing: for
// some kind no gap is known.
std::optional<double> predict(std::span<const planned_piece> pieces, double overlap = 0);

}  // namespace calib::logp

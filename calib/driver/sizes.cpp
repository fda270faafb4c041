#include <calib/driver/sizes.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace calib {
namespace {

// Those launches' points that are of this operation, by size.
std::vector<logp::sized_gap> gaps_of(const logp::points& from, const std::string& operation) {
  std::vector<logp::sized_gap> out;
  for (const logp::sized_point& p : from.sizes)
    if (p.operation == operation) out.push_back({static_cast<double>(p.bytes), p.g});
  return out;
}

template <class Of>
estimate over(const std::vector<logp::points>& launches, std::size_t number, Of&& of) {
  std::vector<double> all;
  for (const logp::points& one : launches)
    if (number < one.sizes.size()) all.push_back(of(one, one.sizes[number]));
  return estimate_of(std::move(all));
}

loggp_cost cost_of(const std::vector<logp::points>& launches, const std::string& operation,
                   const std::vector<sized_cost>& sizes) {
  loggp_cost out;
  out.operation = operation;
  std::vector<double> per_byte;
  std::vector<double> per_piece;
  for (const logp::points& one : launches) {
    const std::vector<logp::segment> lines = logp::fit(gaps_of(one, operation));
    if (lines.empty()) continue;
    per_byte.push_back(lines.back().G);
    per_piece.push_back(lines.front().g0);
  }
  out.G = estimate_of(std::move(per_byte));
  out.g0 = estimate_of(std::move(per_piece));
  std::vector<logp::sized_gap> medians;
  for (const sized_cost& one : sizes)
    if (one.operation == operation)
      medians.push_back({static_cast<double>(one.bytes), one.g.median});
  out.segments = logp::fit(medians);
  out.half_bandwidth_bytes = half_bandwidth(sizes, operation);
  return out;
}

}  // namespace

double half_bandwidth(const std::vector<sized_cost>& sizes, const std::string& operation) {
  struct point {
    double bytes, g, bandwidth;
  };
  std::vector<point> all;
  double most = 0;
  for (const sized_cost& one : sizes) {
    if (one.operation != operation) continue;
    // Rounded as in a file, so that from there it comes out alike.
    all.push_back(
        {static_cast<double>(one.bytes), rounded(one.g.median), rounded(one.bandwidth.median)});
    most = std::max(most, all.back().bandwidth);
  }
  const auto half =
      std::ranges::find_if(all, [&](const point& p) { return p.bandwidth >= most / 2; });
  if (half == all.end()) return 0;
  if (half == all.begin()) return half->bytes;
  const point& before = *std::prev(half);
  const double slope = (half->g - before.g) / (half->bytes - before.bytes);
  return most / 2 * (before.g - before.bytes * slope) / (1 - most / 2 * slope);
}

void add_sizes(const std::vector<logp::points>& launches, layer_profile& into) {
  using logp::points, logp::sized_point;
  const std::vector<sized_point>& first = launches.front().sizes;
  for (std::size_t i = 0; i < first.size(); ++i)
    into.sizes.push_back(
        {first[i].operation, first[i].bytes,
         over(launches, i, [](const points&, const sized_point& p) { return p.o; }),
         over(launches, i, [](const points&, const sized_point& p) { return p.g; }),
         over(launches, i,
              [](const points& all, const sized_point& p) { return logp::time_of(p, all); }),
         over(launches, i, [](const points&, const sized_point& p) {
           return static_cast<double>(p.bytes) / p.g;
         })});
  for (const char* operation : {"store", "get", "medium"})
    if (std::ranges::find(into.sizes, operation, &sized_cost::operation) != into.sizes.end())
      into.loggp.push_back(cost_of(launches, operation, into.sizes));
}

}  // namespace calib

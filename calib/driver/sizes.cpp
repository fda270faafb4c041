#include <calib/driver/sizes.hpp>

#include <algorithm>
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

// The size from which on half of the largest bandwidth is reached. Between two sizes that were
// measured the gap is on a line.
double half_bandwidth(const std::vector<sized_cost>& sizes, const std::string& operation) {
  double most = 0;
  for (const sized_cost& one : sizes)
    if (one.operation == operation) most = std::max(most, one.bandwidth.median);
  const sized_cost* before = nullptr;
  for (const sized_cost& one : sizes) {
    if (one.operation != operation) continue;
    const auto bytes = static_cast<double>(one.bytes);
    if (one.bandwidth.median >= most / 2) {
      if (before == nullptr) return bytes;
      const auto fewer = static_cast<double>(before->bytes);
      const double slope = (one.g.median - before->g.median) / (bytes - fewer);
      return most / 2 * (before->g.median - fewer * slope) / (1 - most / 2 * slope);
    }
    before = &one;
  }
  return 0;
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

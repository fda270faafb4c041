#include <calib/driver/profile/sized_costs.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace calib {
namespace {

// By size.
std::vector<logp::sized_gap> gaps_of(const logp::points& from, const std::string& operation) {
  std::vector<logp::sized_gap> out;
  for (const logp::sized_point& p : from.sizes)
    if (p.operation == operation) out.push_back({static_cast<double>(p.bytes), p.g});
  return out;
}

using sized_of =
    std::function<std::optional<double>(const logp::points&, const logp::sized_point&)>;

// Of the pieces of this operation and size in all launches.
std::vector<double> values_of(std::span<const logp::points> launches, const logp::sized_point& like,
                              const sized_of& of) {
  std::vector<double> out;
  for (const logp::points& one : launches)
    for (const logp::sized_point& p : one.sizes)
      if (p.operation == like.operation && p.bytes == like.bytes)
        if (const std::optional<double> value = of(one, p)) out.push_back(*value);
  return out;
}

// At least one launch has such pieces.
estimate over(std::span<const logp::points> launches, const logp::sized_point& like,
              const sized_of& of) {
  return estimate_of(values_of(launches, like, of));
}

std::optional<estimate> uncached_over(std::span<const logp::points> launches,
                                      const logp::sized_point& like) {
  std::vector<double> all = values_of(
      launches, like, [](const logp::points&, const logp::sized_point& p) { return p.g_uncached; });
  if (all.empty()) return std::nullopt;
  return estimate_of(std::move(all));
}

// One of each operation and size, of any of these launches.
std::vector<logp::sized_point> all_sizes(std::span<const logp::points> launches) {
  std::map<std::pair<std::string, std::size_t>, logp::sized_point> out;
  for (const logp::points& one : launches)
    for (const logp::sized_point& p : one.sizes) out.try_emplace({p.operation, p.bytes}, p);
  std::vector<logp::sized_point> list;
  for (const auto& [key, p] : out) list.push_back(p);
  return list;
}

// Whether a launch with gaps of these sizes knows G and g0: of a condition it may have few samples.
// It knows the smallest size, and all from which G follows. `all`: the medians over launches, whose
// last segment begins at `last_segment`.
bool are_enough(const std::vector<logp::sized_gap>& gaps, const std::vector<logp::sized_gap>& all,
                double last_segment) {
  if (gaps.empty() || gaps.front().bytes != all.front().bytes) return false;
  return std::ranges::all_of(all, [&](const logp::sized_gap& one) {
    return one.bytes < last_segment ||
           std::ranges::count(gaps, one.bytes, &logp::sized_gap::bytes) > 0;
  });
}

// Over the launches that know them. Nothing: no launch does, or no gap is above 0.
std::optional<loggp_cost> cost_of(const std::vector<logp::points>& launches,
                                  const std::string& operation,
                                  const std::vector<sized_cost>& sizes) {
  loggp_cost out;
  out.operation = operation;
  std::vector<double> per_byte;
  std::vector<double> per_piece;
  std::vector<logp::sized_gap> medians;
  for (const sized_cost& one : sizes)
    if (one.operation == operation)
      medians.push_back({static_cast<double>(one.bytes), one.g.median});
  out.segments = logp::fit_segments(medians);
  if (out.segments.empty()) return std::nullopt;
  for (const logp::points& one : launches) {
    const std::vector<logp::sized_gap> gaps = gaps_of(one, operation);
    if (!are_enough(gaps, medians, out.segments.back().from)) continue;
    const std::vector<logp::gap_segment> segments = logp::fit_segments(gaps);
    if (segments.empty()) continue;
    per_byte.push_back(segments.back().G);
    per_piece.push_back(segments.front().g0);
  }
  if (per_byte.empty()) return std::nullopt;
  out.G = estimate_of(std::move(per_byte));
  out.g0 = estimate_of(std::move(per_piece));
  out.half_bandwidth_bytes = half_bandwidth(sizes, operation);
  out.G_uncached = G_uncached(sizes, operation);
  return out;
}

}  // namespace

// Of the rounded g, and rounded itself, so that a profile read from its file has the same value.
logp::parameter sized_cost::bandwidth() const {
  const auto at = [&](double ns) { return rounded(static_cast<double>(bytes) / rounded(ns)); };
  if (rounded(g.median) <= 0) return {"bandwidth", std::nullopt, "the gap was measured as zero"};
  estimate out{at(g.median), std::nullopt, g.n};
  if (g.interval && rounded(g.interval->low) > 0)
    out.interval = {at(g.interval->high), at(g.interval->low)};
  return {"bandwidth", out, ""};
}

std::optional<double> half_bandwidth(const std::vector<sized_cost>& sizes,
                                     const std::string& operation) {
  struct point {
    double bytes, g, bandwidth;
  };
  std::vector<point> all;
  double most = 0;
  for (const sized_cost& one : sizes) {
    if (one.operation != operation) continue;
    const std::optional<estimate> bandwidth = one.bandwidth().value;
    if (!bandwidth) continue;
    all.push_back({static_cast<double>(one.bytes), rounded(one.g.median), bandwidth->median});
    most = std::max(most, bandwidth->median);
  }
  const auto half =
      std::ranges::find_if(all, [&](const point& p) { return p.bandwidth >= most / 2; });
  if (half == all.end()) return std::nullopt;
  if (half == all.begin()) return half->bytes;
  const point& before = *std::prev(half);
  const double slope = (half->g - before.g) / (half->bytes - before.bytes);
  return most / 2 * (before.g - before.bytes * slope) / (1 - most / 2 * slope);
}

std::optional<double> G_uncached(const std::vector<sized_cost>& sizes,
                                 const std::string& operation) {
  std::vector<logp::sized_gap> gaps;
  for (const sized_cost& one : sizes)
    if (one.operation == operation && one.g_uncached)
      gaps.push_back({static_cast<double>(one.bytes), rounded(one.g_uncached->median)});
  if (gaps.size() < 2) return std::nullopt;
  return logp::fit_segments(gaps).back().G;
}

void add_sizes(const std::vector<logp::points>& launches, layer_profile& into) {
  using logp::points, logp::sized_point;
  std::vector<points> timed;  // without an rtt there is no T
  std::ranges::copy_if(launches, std::back_inserter(timed),
                       [](const points& one) { return one.rtt.has_value(); });
  for (const sized_point& like : all_sizes(timed))
    into.sizes.push_back(
        {like.operation, like.bytes,
         over(launches, like, [](const points&, const sized_point& p) { return p.o; }),
         over(launches, like, [](const points&, const sized_point& p) { return p.g; }),
         over(timed, like,
              [](const points& all, const sized_point& p) { return logp::delivery_time(p, all); }),
         uncached_over(launches, like)});
  for (const char* operation : {"store", "get", "medium"})
    if (auto cost = cost_of(launches, operation, into.sizes))
      into.loggp.push_back(std::move(*cost));
}

}  // namespace calib

#include <calib/driver/profile/cross_checks.hpp>

#include <calib/driver/profile/prtt_comparison.hpp>
#include <calib/exchange.hpp>
#include <calib/format.hpp>
#include <calib/logp/linear_fit.hpp>
#include <calib/logp/loggp.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace calib {
namespace {

using logp::points;
using logp::sized_gap;
using logp::sized_point;

constexpr double max_off_percent = 15;  // of a prediction, before it is remarked upon

std::optional<startup_fit> startup_over(std::span<const points> launches) {
  std::vector<double> T0, R_inf;
  for (const points& one : launches) {
    std::vector<sized_gap> times;
    for (const sized_point& p : one.sizes_of("store"))
      times.push_back({static_cast<double>(p.bytes), logp::delivery_time(p, one)});
    const auto found = logp::startup_of(times);
    if (!found) continue;
    T0.push_back(found->T0);
    R_inf.push_back(found->R_inf);
  }
  if (T0.empty()) return std::nullopt;
  return startup_fit{estimate_of(std::move(T0)), estimate_of(std::move(R_inf))};
}

enum class memory { cached, uncached };

std::optional<double> gap_of(const sized_point& p, memory in) {
  return in == memory::cached ? p.g : p.g_uncached;
}

// The completion is that of the smallest piece, where it hardly depends on the bytes.
logp::piece_cost piece_cost_of(const points& from, operation what, memory in) {
  std::vector<sized_gap> gaps;
  logp::piece_cost out;
  for (const sized_point& p : from.sizes_of(name_of(what))) {
    const std::optional<double> gap = gap_of(p, in);
    if (!gap) continue;
    if (gaps.empty()) out.completion = p.trip - p.g;
    gaps.push_back({static_cast<double>(p.bytes), *gap});
  }
  out.segments = logp::fit_segments(gaps);
  return out;
}

std::optional<double> predict_exchange(const points& from, memory in, double overlap) {
  const logp::piece_cost costs[] = {piece_cost_of(from, operation::store, in),
                                    piece_cost_of(from, operation::get, in),
                                    piece_cost_of(from, operation::medium, in)};
  std::vector<logp::planned_piece> pieces;
  for (const exchange_piece& piece : exchange())
    pieces.push_back({&costs[static_cast<std::size_t>(piece.what)],
                      static_cast<double>(piece.bytes), piece.what == operation::get});
  return logp::predict(pieces, overlap);
}

std::optional<exchange_time> exchange_over(std::span<const points> launches, memory in,
                                           double overlap) {
  std::vector<double> found, predictions, in_turn, ratios;
  for (const points& one : launches) {
    const std::optional<double>& measured =
        in == memory::cached ? one.exchange : one.exchange_uncached;
    const std::optional<double> ns = predict_exchange(one, in, overlap);
    if (!measured || !ns) continue;
    found.push_back(*measured);
    predictions.push_back(*ns);
    in_turn.push_back(*predict_exchange(one, in, 0));
    ratios.push_back(*ns / *measured);
  }
  if (found.empty()) return std::nullopt;
  exchange_time out{estimate_of(std::move(found)), estimate_of(std::move(predictions)),
                    100 * (median(std::move(ratios)) - 1), "", estimate_of(std::move(in_turn))};
  if (std::abs(out.off_percent) > max_off_percent)
    out.remark = format("an exchange of {} pieces of other sizes{} is predicted {:.0f} % {}",
                        exchange_length, in == memory::cached ? "" : " that are in no cache",
                        std::abs(out.off_percent), out.off_percent > 0 ? "too long" : "too short");
  return out;
}

std::optional<direction_overlap> overlap_over(std::span<const points> launches) {
  std::vector<double> all;
  for (const points& one : launches)
    if (one.overlap) all.push_back(*one.overlap);
  if (all.empty()) return std::nullopt;
  return direction_overlap{estimate_of(std::move(all))};
}

std::optional<exchange_check> exchange_over(std::span<const points> launches) {
  const std::optional<direction_overlap> both_ways = overlap_over(launches);
  const double part = both_ways ? both_ways->possible() : 0;
  const std::optional<exchange_time> cached = exchange_over(launches, memory::cached, part);
  if (!cached) return std::nullopt;
  return exchange_check{*cached, exchange_over(launches, memory::uncached, part), both_ways};
}

}  // namespace

cross_checks cross_checks_of(std::span<const points> launches) {
  return {prtt_over(launches), startup_over(launches), exchange_over(launches), {}};
}

std::vector<std::string> remarks_of(const cross_checks& from) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& remark) {
    if (!remark.empty()) out.push_back(remark);
  };
  if (from.exchange) {
    add(from.exchange->remark);
    if (from.exchange->uncached) add(from.exchange->uncached->remark);
  }
  return out;
}

}  // namespace calib

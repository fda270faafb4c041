#include <calib/driver/profile/cross_checks.hpp>

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

double percent(double ratio) { return 100 * (ratio - 1); }

std::vector<sized_point> sizes_of(const points& from, const std::string& operation) {
  std::vector<sized_point> out;
  std::ranges::copy_if(from.sizes, std::back_inserter(out),
                       [&](const sized_point& p) { return p.operation == operation; });
  return out;
}

// PRTT is compared with our figures of the same sizes, fitted in the same way, so that only the
// methods of measuring differ.
struct value_pair {
  double theirs, ours;
};
struct prtt_comparison {
  double bytes;  // of the pieces for which o is taken
  value_pair o, g, G;
};

std::optional<prtt_comparison> compare_prtt(const points& from) {
  const std::vector<sized_point> stores = sizes_of(from, "store");
  std::vector<sized_gap> theirs, ours;
  std::optional<value_pair> o;  // of the smallest
  for (const logp::prtt_times& times : from.prtt) {
    const auto same = std::ranges::find_if(
        stores, [&](const sized_point& p) { return static_cast<double>(p.bytes) == times.bytes; });
    if (same == stores.end()) continue;
    if (!o) o = {logp::overhead_of(times, from.prtt_messages), same->o};
    theirs.push_back(logp::gap_of(times, from.prtt_messages));
    ours.push_back({times.bytes, same->g});
  }
  const auto their_fit = logp::fit_gaps(theirs);
  const auto our_fit = logp::fit_gaps(ours);
  if (!their_fit || !our_fit) return std::nullopt;
  return prtt_comparison{
      theirs.front().bytes, *o, {their_fit->g, our_fit->g}, {their_fit->G, our_fit->G}};
}

// The ratios are taken within launches.
prtt_value over(const std::vector<prtt_comparison>& all, value_pair prtt_comparison::*which) {
  std::vector<double> their_values, ratios;
  for (const prtt_comparison& one : all) {
    their_values.push_back((one.*which).theirs);
    if ((one.*which).ours > 0) ratios.push_back((one.*which).theirs / (one.*which).ours);
  }
  prtt_value out{estimate_of(std::move(their_values)), {}};
  if (2 * ratios.size() > all.size()) out.off_percent = percent(median(std::move(ratios)));
  return out;
}

std::optional<prtt_check> prtt_over(std::span<const points> launches) {
  std::vector<prtt_comparison> all;
  for (const points& one : launches)
    if (const auto found = compare_prtt(one)) all.push_back(*found);
  if (all.empty()) return std::nullopt;
  return prtt_check{all.front().bytes, over(all, &prtt_comparison::o),
                    over(all, &prtt_comparison::g), over(all, &prtt_comparison::G)};
}

std::optional<startup_fit> startup_over(std::span<const points> launches) {
  std::vector<double> T0, R_inf;
  for (const points& one : launches) {
    std::vector<sized_gap> times;
    for (const sized_point& p : sizes_of(one, "store"))
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
  for (const sized_point& p : sizes_of(from, name_of(what))) {
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
    pieces.push_back(
        {&costs[static_cast<std::size_t>(piece.what)], static_cast<double>(piece.bytes),
         piece.what == operation::get});
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
                    percent(median(std::move(ratios))), "", estimate_of(std::move(in_turn))};
  if (std::abs(out.off_percent) > max_off_percent)
    out.remark =
        format("an exchange of {} pieces of other sizes{} is predicted {:.0f} % {}",
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

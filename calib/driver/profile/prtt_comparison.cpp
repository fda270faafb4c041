#include <calib/driver/profile/prtt_comparison.hpp>

#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>
#include <calib/logp/loggp.hpp>
#include <calib/logp/prtt.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace calib {
namespace {

using logp::points;
using logp::sized_gap;
using logp::sized_point;

// By PRTT and by us, and a third figure that shows whether an assumption of PRTT holds.
struct figures {
  double theirs, ours;
  std::optional<double> third = {};
};

// PRTT is compared with our figures of the same sizes, fitted in the same way, so that only the
// methods of measuring differ.
struct prtt_comparison {
  double bytes;               // of the smallest pieces
  figures o, g, G;            // of o: the call for a piece that follows others
  figures smallest, largest;  // the gaps of these pieces; and from the end of the train on
};

std::optional<prtt_comparison> compare_prtt(const points& from) {
  const std::vector<sized_point> stores = from.sizes_of("store");
  std::vector<sized_gap> theirs, ours;
  std::vector<figures> gaps;
  std::optional<figures> o;  // of the smallest
  for (const logp::prtt_times& times : from.prtt) {
    const auto same = std::ranges::find_if(
        stores, [&](const sized_point& p) { return static_cast<double>(p.bytes) == times.bytes; });
    if (same == stores.end()) continue;
    if (!o) o = {logp::overhead_of(times, from.prtt_messages), same->o, times.o_after_others};
    theirs.push_back(logp::gap_of(times, from.prtt_messages));
    ours.push_back({times.bytes, same->g});
    gaps.push_back({theirs.back().ns, same->g, times.gap_after_train});
  }
  const auto their_fit = logp::fit_gaps(theirs);
  const auto our_fit = logp::fit_gaps(ours);
  if (!their_fit || !our_fit) return std::nullopt;
  return prtt_comparison{theirs.front().bytes,       *o,           {their_fit->g, our_fit->g},
                         {their_fit->G, our_fit->G}, gaps.front(), gaps.back()};
}

using comparisons = std::vector<prtt_comparison>;
using member = figures prtt_comparison::*;

// Ratios are taken within launches. Nothing: there is none in most launches.
template <class A, class B>
std::optional<estimate> ratio_over(const comparisons& all, member which, A&& above, B&& below) {
  std::vector<double> ratios;
  for (const prtt_comparison& one : all) {
    const std::optional<double> a = above(one.*which);
    const std::optional<double> b = below(one.*which);
    if (a && b && *b > 0) ratios.push_back(*a / *b);
  }
  if (2 * ratios.size() <= all.size()) return std::nullopt;
  return estimate_of(std::move(ratios));
}

std::optional<double> theirs(const figures& of) { return of.theirs; }
std::optional<double> ours(const figures& of) { return of.ours; }
std::optional<double> third(const figures& of) { return of.third; }

// Both methods: to a tenth, or as far as the launches can tell.
bool is_one(const std::optional<estimate>& ratio) {
  if (!ratio) return false;
  if (std::abs(ratio->median - 1) <= 0.1) return true;
  return ratio->interval && ratio->interval->low <= 1 && ratio->interval->high >= 1;
}

// The ratio shows that an assumption does not hold, and that changes the parameter as `off` does.
bool explains(const std::optional<estimate>& ratio, const std::optional<estimate>& off) {
  return ratio && off && !is_one(ratio) && (ratio->median > 1) == (off->median > 1);
}

template <class Of>
std::string median_over(const comparisons& all, member which, Of&& of) {
  std::vector<double> values;
  for (const prtt_comparison& one : all)
    if (const std::optional<double> value = of(one.*which)) values.push_back(*value);
  return number(median(std::move(values)));
}

constexpr char not_measured[] = "differs for a reason that was not measured";

std::string why_o_is_off(const comparisons& all, const std::optional<estimate>& off) {
  const member o = &prtt_comparison::o;
  if (explains(ratio_over(all, o, third, ours), off))
    return format(
        "assumes that a piece costs its sender the same on an idle layer as after others: it is {} "
        "and {} ns",
        median_over(all, o, ours), median_over(all, o, third));
  return not_measured;
}

// `at`: the gaps that determine the parameter most, of pieces of `bytes`.
std::string why_gap_is_off(const comparisons& all, member at, const char* size,
                           const std::optional<estimate>& off) {
  if (is_one(ratio_over(all, at, theirs, ours)))
    return format(
        "assumes that all gaps are on one line: those of the {} pieces hardly differ, {} and {} ns",
        size, median_over(all, at, theirs), median_over(all, at, ours));
  if (explains(ratio_over(all, at, theirs, third), off))
    return format(
        "assumes that its train is long enough: the gap of the {} pieces is {} ns in it and {} "
        "from "
        "its end on",
        size, median_over(all, at, theirs), median_over(all, at, third));
  return not_measured;
}

template <class Why>
prtt_value value_over(const comparisons& all, member which, Why&& why_off) {
  std::vector<double> values;
  for (const prtt_comparison& one : all) values.push_back((one.*which).theirs);
  prtt_value out{estimate_of(std::move(values)), {}};
  const std::optional<estimate> ratio = ratio_over(all, which, theirs, ours);
  if (ratio) out.off_percent = 100 * (ratio->median - 1);
  if (ratio && !is_one(ratio)) out.why_off = why_off(ratio);
  return out;
}

}  // namespace

std::optional<prtt_check> prtt_over(std::span<const points> launches) {
  comparisons all;
  for (const points& one : launches)
    if (const auto found = compare_prtt(one)) all.push_back(*found);
  if (all.empty()) return std::nullopt;
  const auto why_o = [&](const auto& off) { return why_o_is_off(all, off); };
  const auto why_g = [&](const auto& off) {
    return why_gap_is_off(all, &prtt_comparison::smallest, "smallest", off);
  };
  const auto why_G = [&](const auto& off) {
    return why_gap_is_off(all, &prtt_comparison::largest, "largest", off);
  };
  return prtt_check{all.front().bytes, value_over(all, &prtt_comparison::o, why_o),
                    value_over(all, &prtt_comparison::g, why_g),
                    value_over(all, &prtt_comparison::G, why_G)};
}

}  // namespace calib

#include <calib/driver/opinions.hpp>
#include <calib/exchange.hpp>
#include <calib/format.hpp>
#include <calib/logp/predict.hpp>
#include <calib/logp/startup.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace calib {
namespace {

using logp::points;
using logp::sized_gap;
using logp::sized_point;

constexpr double foretold = 15;  // percent that a prediction may be off

double percent(double ratio) { return 100 * (ratio - 1); }

std::vector<sized_point> of_kind(const points& from, const std::string& kind) {
  std::vector<sized_point> out;
  std::ranges::copy_if(from.sizes, std::back_inserter(out),
                       [&](const sized_point& p) { return p.operation == kind; });
  return out;
}

// What the second opinion is held against: our own figures of the same sizes, put through the same
// lines, so that only the ways of measuring differ.
struct both {
  double theirs, ours;
};
struct second_look {
  double bytes;  // of the pieces that o is of
  both o, g, G;
};

std::optional<second_look> look_again(const points& from) {
  const std::vector<sized_point> stores = of_kind(from, "store");
  std::vector<sized_gap> theirs, ours;
  std::optional<both> o;  // of the smallest
  for (const logp::train& train : from.trains) {
    const auto same = std::ranges::find_if(
        stores, [&](const sized_point& p) { return static_cast<double>(p.bytes) == train.bytes; });
    if (same == stores.end()) continue;
    if (!o) o = {logp::overhead_of(train, from.train_length), same->o};
    theirs.push_back(logp::gap_of(train, from.train_length));
    ours.push_back({train.bytes, same->g});
  }
  const auto line = logp::gap_line_of(theirs);
  const auto own_line = logp::gap_line_of(ours);
  if (!line || !own_line) return std::nullopt;
  return second_look{theirs.front().bytes, *o, {line->g, own_line->g}, {line->G, own_line->G}};
}

// Compared within launches.
second_value over(const std::vector<second_look>& all, both second_look::*which) {
  std::vector<double> values, ratios;
  for (const second_look& one : all) {
    values.push_back((one.*which).theirs);
    if ((one.*which).ours > 0) ratios.push_back((one.*which).theirs / (one.*which).ours);
  }
  second_value out{estimate_of(std::move(values)), {}};
  if (2 * ratios.size() > all.size()) out.off = percent(median(std::move(ratios)));
  return out;
}

std::optional<second_opinion> prtt_over(std::span<const points> launches) {
  std::vector<second_look> all;
  for (const points& one : launches)
    if (const auto look = look_again(one)) all.push_back(*look);
  if (all.empty()) return std::nullopt;
  return second_opinion{all.front().bytes, over(all, &second_look::o), over(all, &second_look::g),
                        over(all, &second_look::G)};
}

std::optional<startup_fit> startup_over(std::span<const points> launches) {
  std::vector<double> T0, R_inf;
  for (const points& one : launches) {
    std::vector<sized_gap> times;
    for (const sized_point& p : of_kind(one, "store"))
      times.push_back({static_cast<double>(p.bytes), logp::time_of(p, one)});
    const auto found = logp::startup_of(times);
    if (!found) continue;
    T0.push_back(found->T0);
    R_inf.push_back(found->R_inf);
  }
  if (T0.empty()) return std::nullopt;
  return startup_fit{estimate_of(std::move(T0)), estimate_of(std::move(R_inf))};
}

// By its smallest piece: what is left of a trip beside the gap is then no matter of bytes.
logp::tariff tariff_of(const points& from, operation what) {
  std::vector<sized_gap> gaps;
  logp::tariff out;
  for (const sized_point& p : of_kind(from, name_of(what))) {
    if (gaps.empty()) out.tail = p.trip - p.g;
    gaps.push_back({static_cast<double>(p.bytes), p.g});
  }
  out.lines = logp::fit(gaps);
  return out;
}

std::optional<double> predicted(const points& from) {
  const logp::tariff tariffs[] = {tariff_of(from, operation::store),
                                  tariff_of(from, operation::get),
                                  tariff_of(from, operation::medium)};
  std::vector<logp::priced> pieces;
  for (const exchanged& piece : exchange())
    pieces.push_back(
        {&tariffs[static_cast<std::size_t>(piece.what)], static_cast<double>(piece.bytes)});
  return logp::predict(pieces);
}

std::optional<exchange_check> exchange_over(std::span<const points> launches) {
  std::vector<double> found, foreseen, ratios;
  for (const points& one : launches) {
    const std::optional<double> ns = predicted(one);
    if (!one.exchange || !ns) continue;
    found.push_back(*one.exchange);
    foreseen.push_back(*ns);
    ratios.push_back(*ns / *one.exchange);
  }
  if (found.empty()) return std::nullopt;
  exchange_check out{estimate_of(std::move(found)), estimate_of(std::move(foreseen)),
                     percent(median(std::move(ratios))), ""};
  if (std::abs(out.off) > foretold)
    out.remark = format("an exchange of {} pieces of other sizes is foretold {:.0f} % {}",
                        exchange_length, std::abs(out.off), out.off > 0 ? "too long" : "too short");
  return out;
}

}  // namespace

opinions opinions_of(std::span<const points> launches) {
  return {prtt_over(launches), startup_over(launches), exchange_over(launches), {}};
}

}  // namespace calib

// The parameters against measurements that did not determine them.
#include <calib/driver/report/profile_part.hpp>

#include <calib/exchange.hpp>
#include <calib/format.hpp>

#include <array>
#include <set>
#include <utility>

namespace calib {
namespace {

// How many times `known` a measured value is; its interval is the widest one that both allow.
estimate times_of(double times, const estimate& measured, const estimate& known) {
  estimate out{times, std::nullopt, measured.n};
  if (!measured.interval || !known.interval || measured.median <= 0 || known.interval->low <= 0)
    return out;
  const double scale = times * known.median / measured.median;
  out.interval = {scale * measured.interval->low / known.interval->high,
                  scale * measured.interval->high / known.interval->low};
  return out;
}

// The file has how far the prediction is off; here it is the measure.
estimate times_of(const exchange_check& of) {
  return times_of(1 / (1 + of.off_percent / 100), of.measured, of.predicted);
}

// Of the parameter of which the file has no interval.
estimate times_of(const prtt_value& of) {
  const estimate exactly{1, estimate::bounds{1, 1}, 0};
  return times_of(1 + *of.off_percent / 100, of.value, exactly);
}

// What was measured, in times of what the parameters say.
html::dots off_dots(const profile& from) {
  html::dots out{{"exchange", "o by PRTT", "g by PRTT", "G by PRTT"}, {}, "times", 1};
  for (const layer_profile& one : from.layers) {
    const cross_checks& checks = one.cross_checks;
    html::dots::line line{one.name(), {}};
    if (checks.exchange) line.shown.push_back({0, times_of(*checks.exchange)});
    if (checks.prtt)
      for (const auto& [series, value] :
           {std::pair(1U, &checks.prtt->o), {2U, &checks.prtt->g}, {3U, &checks.prtt->G}})
        if (value->off_percent) line.shown.push_back({series, times_of(*value)});
    if (!line.shown.empty()) out.lines.push_back(std::move(line));
  }
  return out;
}

cell off_cell(const std::optional<double>& percent) {
  return {percent ? format("{:+.1f}", *percent) : "?", "", ""};
}

grid off_grid(const profile& from) {
  grid out(false);
  out.add("", {title("measured"), title("predicted"), title("off %")}, true);
  for (const layer_profile& one : from.layers) {
    const cross_checks& checks = one.cross_checks;
    const std::string name = one.name();
    if (checks.exchange) {
      out.add(name + ", exchange, ns",
              {cell_of(checks.exchange->measured), cell_of(checks.exchange->predicted),
               off_cell(checks.exchange->off_percent)});
      if (const auto& uncached = checks.exchange->uncached)
        out.add(name + ", exchange in no cache, ns",
                {cell_of(uncached->measured), cell_of(uncached->predicted),
                 off_cell(uncached->off_percent)});
    }
    if (checks.prtt)
      for (const auto& [what, value] : {std::pair("o by PRTT, ns", &checks.prtt->o),
                                        {"g by PRTT, ns", &checks.prtt->g},
                                        {"G by PRTT, ns/B", &checks.prtt->G}})
        out.add(format("{}, {}", name, what),
                {cell_of(value->value), {}, off_cell(value->off_percent)});
    if (checks.startup) {
      out.add(name + ", T0 of T0 + n / R_inf, ns", {cell_of(checks.startup->T0), {}, {}});
      out.add(name + ", R_inf, GB/s", {cell_of(checks.startup->R_inf), {}, {}});
    }
  }
  return out;
}

struct pattern {
  const char* name;
  std::optional<pattern_check> multi_rank_checks::*check;
};
constexpr std::array patterns = {pattern{"pairs", &multi_rank_checks::pairs},
                                 pattern{"one to many", &multi_rank_checks::one_to_many},
                                 pattern{"many to one", &multi_rank_checks::many_to_one}};

// The gap and the round trip among several ranks, in times of those of one pair.
void add_patterns(const profile& from, const profile_label& label, html::page& into) {
  html::dots shown{{"g", "rtt"}, {}, "times", 1};
  grid rows(false);
  rows.add("", {title("g, times"), title("rtt, times"), title("which means")}, true);
  std::set<std::string> reasons;
  for (const layer_profile& one : from.layers) {
    if (!one.cross_checks.multi_rank) continue;
    const multi_rank_checks& checks = *one.cross_checks.multi_rank;
    if (!checks.why_not.empty()) reasons.insert(checks.why_not);
    for (const pattern& of : patterns)
      if (const auto& check = checks.*of.check) {
        const std::string name = format("{}, {}", one.name(), of.name);
        shown.lines.push_back({name, {{0, check->g_times}, {1, check->rtt_times}}});
        rows.add(name, {cell_of(check->g_times), cell_of(check->rtt_times), words(check->verdict)});
      }
  }
  if (!shown.lines.empty())
    into.picture(
        "The gap and the round trip of a rank among several, in times of those of one "
        "pair.",
        shown, label.file("patterns"), rows);
  for (const std::string& reason : reasons)
    into.paragraph("Several ranks were not measured in every pattern: " + reason + '.');
}

}  // namespace

void add_checks(const profile& from, const profile_label& label, html::page& into) {
  const html::dots shown = off_dots(from);
  into.heading("Predictions against measurements");
  if (!shown.lines.empty())
    into.picture(
        format(
            "What was measured otherwise, in times of what the parameters say: an exchange of {} "
            "pieces of other sizes, and the parameters by Hoefler's PRTT. At the dashed line both "
            "agree.",
            exchange_length),
        shown, label.file("checks"), off_grid(from));
  else
    into.paragraph("This profile has no check by another method.");
  add_patterns(from, label, into);
}

}  // namespace calib

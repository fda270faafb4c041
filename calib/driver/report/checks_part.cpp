// The parameters against measurements that did not determine them.
#include <calib/driver/report/parts.hpp>
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
estimate times_of(const exchange_time& of) {
  return times_of(1 / (1 + of.off_percent / 100), of.measured, of.predicted);
}

// Of the parameter of which the file has no interval. Nothing: ours is 0.
std::optional<estimate> times_of(const prtt_value& of) {
  if (!of.off_percent) return std::nullopt;
  const estimate exactly{1, estimate::bounds{1, 1}, 0};
  return times_of(1 + *of.off_percent / 100, of.value, exactly);
}

// What was measured, in times of what the parameters say.
html::dots off_dots(const profile& from) {
  html::dots out{
      {"exchange", "exchange in no cache", "o by PRTT", "g by PRTT", "G by PRTT"}, {}, "times", 1};
  for (const layer_profile& one : from.layers) {
    const cross_checks& checks = one.cross_checks;
    html::dots::line line{one.name(), {}};
    if (checks.exchange) {
      line.shown.push_back({0, times_of(*checks.exchange)});
      if (checks.exchange->uncached)
        line.shown.push_back({1, times_of(*checks.exchange->uncached)});
    }
    if (checks.prtt)
      for (const auto& [series, value] :
           {std::pair(2U, &checks.prtt->o), {3U, &checks.prtt->g}, {4U, &checks.prtt->G}})
        if (const auto times = times_of(*value)) line.shown.push_back({series, *times});
    if (!line.shown.empty()) out.lines.push_back(std::move(line));
  }
  return out;
}

cell cell_of_known(const std::optional<estimate>& of) {
  return of ? cell_of(*of) : cell{"?", "", ""};
}
cell off_cell(const std::optional<double>& percent) {
  return {percent ? format("{:+.1f}", *percent) : "?", "", ""};
}

void add_exchange(const std::string& name, const exchange_time& of, grid& into) {
  into.add(name, {cell_of(of.measured), cell_of(of.predicted), cell_of(times_of(of)),
                  off_cell(of.off_percent), of.in_turn ? cell_of(*of.in_turn) : cell{},
                  words(of.remark)});
}

grid off_grid(const profile& from) {
  grid out(false);
  out.add("",
          {title("measured"), title("predicted"), title("times"), title("off %"),
           title("predicted in turn"), title("why")},
          true);
  for (const layer_profile& one : from.layers) {
    const cross_checks& checks = one.cross_checks;
    const std::string name = one.name();
    if (checks.exchange) {
      add_exchange(name + ", exchange, ns", *checks.exchange, out);
      if (const auto& uncached = checks.exchange->uncached)
        add_exchange(name + ", exchange in no cache, ns", *uncached, out);
      if (const auto& overlap = checks.exchange->both_ways)
        out.add(name + ", overlap of the two directions, %", {cell_of(percent(overlap->ratio))});
    }
    if (checks.prtt)
      for (const auto& [what, value] : {std::pair("o by PRTT, ns", &checks.prtt->o),
                                        {"g by PRTT, ns", &checks.prtt->g},
                                        {"G by PRTT, ns/B", &checks.prtt->G}})
        out.add(format("{}, {}", name, what), {cell_of(value->value),
                                               {},
                                               cell_of_known(times_of(*value)),
                                               off_cell(value->off_percent),
                                               {},
                                               words(value->why_off)});
    if (checks.startup) {
      out.add(name + ", T0 of T0 + n / R_inf, ns", {cell_of(checks.startup->T0)});
      out.add(name + ", R_inf, GB/s", {cell_of(checks.startup->R_inf)});
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
            "pieces of other sizes, in caches and in none, and the parameters by Hoefler's PRTT. "
            "At "
            "the dashed line both agree. In the table: by how much the two directions of an "
            "exchange overlap, what is predicted if they take turns, and why a method differs.",
            exchange_length),
        shown, label.file("checks"), off_grid(from));
  else
    into.paragraph("This profile has no check by another method.");
  add_patterns(from, label, into);
}

}  // namespace calib

#include <calib/suite/sensitivity/sensitivity.hpp>

#include <calib/logp/linear_fit.hpp>
#include <calib/suite/launched.hpp>

#include <utility>

namespace calib::suite {
namespace {

// The sizes of least_squares() are values of the dial here.
std::optional<estimate> slope_of(const by_round& base,
                                 const std::vector<std::pair<double, const by_round*>>& values) {
  std::vector<double> slopes;
  for (const auto& [round, ns] : base) {
    std::vector<logp::sized_gap> points = {{0, ns}};
    for (const auto& [value, times] : values)
      if (const auto found = times->find(round); found != times->end())
        points.push_back({value, found->second});
    if (const auto line = logp::least_squares(points)) slopes.push_back(line->per_byte);
  }
  if (slopes.empty()) return std::nullopt;
  return estimate_of(std::move(slopes));
}

}  // namespace

run_form form_of(const entry& of) { return {of.ranks, has_direct_gets(of.transport)}; }

std::optional<load> load_of(const median_map& all, const entry& of) {
  load out;
  const std::pair<const char*, double load::*> figures[] = {
      {"load/sent", &load::sent},           {"load/handled", &load::handled},
      {"load/bytes", &load::bytes},         {"load/gets", &load::gets},
      {"load/get_bytes", &load::get_bytes}, {"load/reads", &load::reads},
      {"load/barriers", &load::barriers}};
  for (const auto& [probe, figure] : figures) {
    const auto* const found = find_figure(all, of, probe);
    if (found == nullptr) return std::nullopt;
    out.*figure = median(values_of(found->second));
  }
  return out;
}

std::optional<sensitivity> sensitivity_of(const median_map& all, const entry& base,
                                          const dial& turned) {
  const auto* const at_base = find_figure(all, base, "time");
  const auto counted = load_of(all, base);
  if (at_base == nullptr || !counted) return std::nullopt;
  sensitivity out;
  out.entry = base;
  out.dial = turned.name;
  out.base = median(values_of(at_base->second));
  const auto* const without = find_figure(all, plain(base), "time");
  out.plain = without == nullptr ? out.base : median(values_of(without->second));
  out.load = *counted;
  out.model = model_of(turned.name, out.load, form_of(base));
  std::vector<std::pair<double, const by_round*>> times;
  for (const double value : turned.ns) {
    const auto* const found = find_figure(all, dialled(base, turned.name, value), "time");
    const auto slowdown = ratio_within_rounds(found, at_base);
    if (!slowdown) continue;
    out.points.push_back({value, estimate_of(values_of(found->second)), *slowdown,
                          out.model.least(out.base, value), out.model.most(out.base, value)});
    times.emplace_back(value, &found->second);
  }
  const auto slope = slope_of(at_base->second, times);
  if (out.points.empty() || !slope) return std::nullopt;
  out.slope = *slope;
  return out;
}

entry plain(entry base) {
  base.dial.clear();
  return base;
}

entry dialled(entry base, std::string_view dial_name, double ns) {
  base.dial = dial_setting(dial_name, ns);
  return base;
}

}  // namespace calib::suite

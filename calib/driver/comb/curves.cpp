#include <calib/driver/comb/curves.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace calib {
namespace {

// The samples of figures over the rounds, by name.
using samples = std::map<std::string, std::vector<double>>;

std::uint64_t number_in(const std::string& text) {
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> out(1);
  for (const char c : name)
    if (c == '/')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

// Without work there is no availability, though an empty loop takes some time.
double part_available(std::uint64_t iterations, double dry, double whole) {
  return iterations == 0 || whole <= 0 ? 0 : dry / whole;
}

// Work may make messages faster, but there is no more to lose than what there is without it.
double share_of(double peak, double bandwidth) {
  return peak > 0 ? std::min(bandwidth / peak, 1.0) : 0;
}

// It begins without work.
template <class Bandwidth, class Whole>
std::vector<traded_point> trade(const comb_round& from, Bandwidth&& bandwidth, Whole&& whole) {
  std::vector<traded_point> out;
  const double peak = bandwidth(from.at(0));
  for (const auto& [iterations, f] : from)
    out.push_back({iterations, part_available(iterations, f.at("dry"), whole(f)),
                   share_of(peak, bandwidth(f))});
  return out;
}

estimate of_round(samples& from, const std::string& name) {
  std::vector<double>& all = from[name];
  return all.empty() ? estimate{} : estimate_of(std::move(all));
}

std::optional<estimate> if_known(samples& from, const std::string& name) {
  if (from[name].empty()) return std::nullopt;
  return of_round(from, name);
}

bool begins_without_work(const comb_round& of) { return of.size() >= 2 && of.contains(0); }

double polled_bandwidth(const comb_figures& f) { return f.at("bytes") / f.at("piece"); }

pww_times times_of(std::uint64_t work, const comb_figures& f) {
  const auto test = f.find("test");
  return {work,        f.at("dry"), f.at("post"), f.at("work"), test == f.end() ? 0 : test->second,
          f.at("wait")};
}

void add_point(const pww_times& times, double bytes, samples& to) {
  for (const auto& [name, value] :
       {std::pair("dry", times.dry), std::pair("post", times.post),
        std::pair("worked", times.worked), std::pair("test", times.test),
        std::pair("wait", times.wait), std::pair("bandwidth", bytes / times.whole())})
    to[name].push_back(value);
  to["availability"].push_back(part_available(times.work, times.dry, times.whole()));
  const double overhead = times.worked - times.dry;
  to["overhead"].push_back(overhead);
  to["overhead_part"].push_back(times.dry > 0 ? overhead / times.dry : 0);
}

// One point that does not depend on its overhead: the largest of many would be noise. Of no such
// point the last.
std::size_t find_loaded(const std::vector<pww_point>& points) {
  const double alone = points.front().wait.median + points.front().test.median;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].dry.median >= alone) return i;
  return points.size() - 1;
}

}  // namespace

std::map<comb_case, comb_rounds> collect_curves(const std::vector<launch>& launches,
                                                const measured_layer& layer) {
  std::map<comb_case, comb_rounds> out;
  for (const launch& one : launches) {
    if (one.layer != layer || !one.fault.empty()) continue;
    for (const series& s : one.measured) {
      // METHOD/BYTES/DEPTH/ITERATIONS/FIGURE
      const std::vector<std::string> parts = parts_of(s.probe);
      if (parts.size() != 5) continue;
      const comb_case of{parts[0], number_in(parts[1]), number_in(parts[2])};
      out[of][one.round][number_in(parts[3])][parts[4]] = s.median;
    }
  }
  return out;
}

polling_curve polling_of(const comb_case& of, const comb_rounds& rounds) {
  polling_curve out;
  out.of = of;
  std::map<std::uint64_t, samples> points;
  samples whole;
  for (const auto& [round, curve] : rounds) {
    if (!begins_without_work(curve)) continue;
    const auto traded =
        trade(curve, polled_bandwidth, [](const comb_figures& f) { return f.at("piece"); });
    whole["merit"].push_back(figure_of_merit(traded));
    for (const traded_point& one : traded) {
      const comb_figures& f = curve.at(one.iterations);
      samples& at = points[one.iterations];
      for (const char* name : {"dry", "piece"}) at[name].push_back(f.at(name));
      at["bandwidth"].push_back(polled_bandwidth(f));
      at["availability"].push_back(one.availability);
    }
  }
  for (auto& [interval, at] : points)
    out.points.push_back({interval, of_round(at, "dry"), of_round(at, "piece"),
                          of_round(at, "bandwidth"), of_round(at, "availability")});
  if (out.points.empty()) return out;
  out.merit = of_round(whole, "merit");
  out.peak = out.points.front().bandwidth.median;
  for (const polling_point& one : out.points)
    out.traded.push_back(
        {one.iterations, one.availability.median, share_of(out.peak, one.bandwidth.median)});
  out.knee = find_knee(out.traded);
  return out;
}

pww_curve pww_of(const comb_case& of, const comb_rounds& rounds) {
  pww_curve out;
  out.of = of;
  const auto bytes = static_cast<double>(2 * of.bytes * of.depth);
  std::map<std::uint64_t, samples> points;
  samples whole;
  for (const auto& [round, curve] : rounds) {
    if (!begins_without_work(curve)) continue;
    std::vector<pww_times> all;
    for (const auto& [work, f] : curve) {
      all.push_back(times_of(work, f));
      add_point(all.back(), bytes, points[work]);
    }
    const auto time = [](const comb_figures& f) { return times_of(0, f).whole(); };
    whole["merit"].push_back(figure_of_merit(trade(
        curve, [&](const comb_figures& f) { return bytes / time(f); }, time)));
    const overlap found = overlap_of(all, of.method == "pww-test" ? 0.5 : 1);
    whole["alone"].push_back(found.alone);
    for (const auto& [name, value] :
         {std::pair("behind", found.behind), {"hidden", found.hidden}, {"slope", found.slope}})
      if (value) whole[name].push_back(*value);
  }
  for (auto& [work, at] : points)
    out.points.push_back({work, of_round(at, "dry"), of_round(at, "post"), of_round(at, "worked"),
                          of_round(at, "test"), of_round(at, "wait"), of_round(at, "overhead"),
                          of_round(at, "overhead_part"), of_round(at, "bandwidth"),
                          of_round(at, "availability")});
  if (out.points.empty()) return out;
  out.merit = of_round(whole, "merit");
  out.alone = of_round(whole, "alone");
  out.behind = if_known(whole, "behind");
  out.hidden = if_known(whole, "hidden");
  out.slope = if_known(whole, "slope");
  out.loaded = find_loaded(out.points);
  return out;
}

double bandwidth_at(const polling_curve& of, double availability) {
  double out = 0;
  for (const polling_point& one : of.points)
    if (one.availability.median >= availability) out = std::max(out, one.bandwidth.median);
  return out;
}

}  // namespace calib

// am-comb/1: read until its own pictures can be drawn.
#include <calib/driver/comb/comb_result.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <utility>

namespace calib {
namespace {

estimate time_from(const json_field& from) {
  estimate out;
  read(from, known_value{out, "ns"});
  return out;
}
estimate rate_of(const json_field& from) {
  estimate out;
  read(from, known_value{out, "GB/s"});
  return out;
}
estimate share_of(const json_field& from) { return read_bounded(from, "median"); }

comb_case case_of(const json_field& from) {
  return {from["method"].text(), from["bytes"].count(), from["depth"].count()};
}

void read_curve(const json_field& from, polling_curve& into) {
  for (const json_field& one : from["points"].items(most_points, "points"))
    into.points.push_back({one["interval"].count(), time_from(one["dry"]), time_from(one["piece"]),
                           rate_of(one["bandwidth"]), share_of(one["availability"])});
}

void read_curve(const json_field& from, pww_curve& into) {
  for (const json_field& one : from["points"].items(most_points, "points")) {
    pww_point at;
    at.iterations = one["work"].count();
    at.dry = time_from(one["dry"]);
    at.post = time_from(one["post"]);
    at.worked = time_from(one["worked"]);
    if (const auto test = one.find("test")) at.test = time_from(*test);
    at.wait = time_from(one["wait"]);
    at.bandwidth = rate_of(one["bandwidth"]);
    at.availability = share_of(one["availability"]);
    into.points.push_back(at);
  }
}

// What is said of this curve among the verdicts of its layer.
std::string shown_in(const std::vector<std::string>& verdicts, const comb_case& of) {
  const std::string head = verdict_head(of);
  for (const std::string& one : verdicts)
    if (one.starts_with(head)) return one.substr(head.size());
  return "no verdict";
}

template <class Curve>
void read_curves(const json_field& from, const std::vector<std::string>& verdicts,
                 std::vector<Curve>& into) {
  for (const json_field& one : from.items(most_curves, "curves")) {
    Curve curve;
    curve.of = case_of(one);
    curve.merit = share_of(one["merit"]);
    curve.shown = shown_in(verdicts, curve.of);
    read_curve(one, curve);
    into.push_back(std::move(curve));
  }
}

comb_layer layer_of(const json_field& from) {
  comb_layer out;
  out.layer = {from["layer"].text(), from["transport"].text()};
  out.iteration = time_from(from["iteration"]);
  read(from["verdicts"], out.verdicts);
  read_curves(from["polling"], out.verdicts, out.polling);
  read_curves(from["pww"], out.verdicts, out.pww);
  return out;
}

}  // namespace

void add_comb(const json_field& whole, html::page& into) {
  comb_result from;
  for (const json_field& one : whole["layers"].items(most_names, "layers"))
    from.layers.push_back(layer_of(one));
  if (!read_measurement(whole, from)) return;
  add_head(from, into);
  add_pictures(from, into);
  add_remarks(from, into);
}

}  // namespace calib

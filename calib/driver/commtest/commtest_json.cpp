#include <calib/driver/commtest/commtest_result.hpp>

#include <calib/driver/measure/measurement_fields.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/format.hpp>

#include <utility>

namespace calib {
namespace {

constexpr char commtest_statistics[] =
    "A time is the longest of the processes of a pair, by their own clocks. of_least is the least "
    "time of the first three runs, and what follows from these times; over_runs is the median over "
    "all runs, of what each of them gives, with low and high at exact binomial ranks (95 %). alpha "
    "is (T_N2 - T_N1) / (N2 - N1) of the two largest packet counts, beta the least T_N by the "
    "volume. error is |alpha N + beta volume - T_N| / T_N of of_least, over packets from .. to. "
    "The "
    "samples of a launch are the times (T), or the spans, of its packet counts.";

json figure(const commtest_figure& of, const char* unit) {
  return {{"of_least", rounded(of.of_least)},
          {"over_runs", written(record_of(of.over_runs, unit, ""))}};
}

// The same figures by half: one direction of two.
commtest_figure half_of(const commtest_figure& of) {
  return {of.of_least / 2, divided(of.over_runs, 2)};
}

json points_of(const commtest_row& row) {
  json out = json::array();
  for (const commtest_point& one : row.points)
    out.push_back({{"packets", one.packets},
                   {"bytes", row.slice.volume / one.packets},
                   {"time", figure(one.time, "ns")},
                   {"span", rounded(one.span)}});
  return out;
}

json row_of(const commtest_row& row) {
  json out = {{"layer", row.layer.name},
              {"transport", row.layer.transport},
              {"pairs", row.slice.pairs},
              {"volume", row.slice.volume},
              {"mode", name_of(row.slice.mode)},
              {"protocol", row.by->name},
              {"set", name_of(row.set)},
              {"runs", row.runs},
              {"alpha", figure(row.alpha, "ns")},
              {"beta", figure(row.beta, "ns/B")},
              {"latency", figure(row.latency, "ns")},
              {"swap", figure(row.bandwidth, "GB/s")}};
  if (row.by->ordered)
    out["idle"] = figure(row.bandwidth, "GB/s");
  else
    out["busy"] = figure(half_of(row.bandwidth), "GB/s");
  out["error"] = {{"max", rounded(row.error.greatest)},
                  {"mean", rounded(row.error.mean)},
                  {"from", row.error.from},
                  {"to", row.error.to}};
  out["times"] = points_of(row);
  return out;
}

json scope_of(const commtest_scope& of) {
  json modes = json::array();
  for (const cache_mode one : of.modes) modes.push_back(name_of(one));
  return {{"pairs", of.pairs},
          {"volumes", of.volumes},
          {"modes", std::move(modes)},
          {"packets", of.packets},
          {"repetitions", repeats_of_message}};
}

}  // namespace

std::string json_of(const commtest_result& from) {
  json rows = json::array();
  for (const commtest_row& row : from.rows) rows.push_back(row_of(row));
  return document_of(
      "am-commtest/1", from, conditions_of(from, commtest_statistics),
      {{"scope", scope_of(from.scope)}, {"rows", std::move(rows)}, {"best", from.best}});
}

}  // namespace calib

#include <calib/suite/sensitivity/json.hpp>

#include <calib/driver/output/json_measured.hpp>

#include <utility>

namespace calib::suite {
namespace {

json load_as_json(const load& of) {
  return {{"sent", of.sent},        {"handled", of.handled},     {"bytes", of.bytes},
          {"gets", of.gets},        {"get_bytes", of.get_bytes}, {"reads", of.reads},
          {"barriers", of.barriers}};
}

json points_of(const sensitivity& of) {
  json out = json::array();
  for (const sensitivity::point& p : of.points) {
    json one = {{"dial_ns", p.value},
                {"value", written(record_of(p.ns, "ns", ""))},
                {"model", {{"least", written(p.least)}, {"most", written(p.most)}}}};
    one.update(bounded("slowdown", p.slowdown));
    out.push_back(std::move(one));
  }
  return out;
}

json departure_of(const sensitivity& of) {
  const auto found = of.departs();
  if (!found) return nullptr;
  return {{"from_ns", found->from}, {"times", written(found->times)}};
}

}  // namespace

json identified(const entry& of) {
  return {{"program", of.program},
          {"variant", of.variant},
          {"layer", of.layer},
          {"transport", of.transport},
          {"ranks", of.ranks}};
}

json sensitivities_of(const result& from) {
  json out = json::array();
  for (const sensitivity& one : from.sensitivities) {
    json row = identified(one.entry);
    row["dial"] = one.dial;
    row["load"] = load_as_json(one.load);
    row["base_ns"] = written(one.base);
    row["plain_ns"] = written(one.plain);
    row["points"] = points_of(one);
    row.update(bounded("slope", one.slope));
    row["model_slope"] = one.model.slope;
    row["departure"] = departure_of(one);
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace calib::suite

#include "schema.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace {

using nlohmann::json;

const std::map<std::string, std::set<std::string>> layers = {
    {"shm",
     {"am-shm", "openmpi", "mpich", "ucx-am", "boost-spsc", "limit-line", "limit-ring",
      "limit-memcpy", "limit-copy"}},
    {"tcp",
     {"am-tcp", "openmpi", "mpich", "ucx-am", "socket", "rpc", "limit-socket",
      "limit-socket-calls"}},
    {"ucx:posix", {"am-ucx", "ucx-am"}},
    {"ucx:tcp", {"am-ucx", "ucx-am"}},
    {"ucx:user", {"am-ucx", "ucx-am"}}};
const std::set<std::string> probes = {"rtt",    "flood", "rr_flood", "idle_poll",
                                      "medium", "store", "get"};
const std::set<std::string> forms = {"untouched", "touched"};
const std::set<std::string> medium_forms = {"oneway", "bothways"};
const std::set<std::size_t> sizes_of_mediums = {64, 1024, 4096, 16384};

bool is_size_of_bulk(std::size_t bytes) {
  for (std::size_t size = 4096; size <= 67108864; size *= 4)
    if (bytes == size) return true;
  return false;
}

class schema_checker {
 public:
  std::vector<std::string> faults;

  void expect(bool good, const std::string& what) {
    if (!good) faults.push_back(what);
  }

  void keys(const std::string& what, const json& object, const std::set<std::string>& needed,
            const std::set<std::string>& allowed = {}) {
    expect(object.is_object(), what + " is no object");
    for (const std::string& key : needed) expect(object.contains(key), what + " has no " + key);
    for (const auto& [key, value] : object.items())
      expect(needed.count(key) + allowed.count(key) > 0, what + " has a strange key " + key);
  }

  void interval(const std::string& what, const json& object, const char* middle) {
    expect(object.value(middle, json()).is_number(), what + " has no number");
    const json low = object.value("low", json());
    const json high = object.value("high", json());
    expect(low.is_null() == high.is_null(), what + " has half an interval");
    if (low.is_number() && high.is_number())
      expect(low <= object[middle] && object[middle] <= high, what + " lies outside its interval");
  }

  // Checks that probe, bytes and form go together, and returns a name for messages.
  std::string metric_name(const std::string& of, const json& r) {
    const std::string probe = r["probe"];
    const std::string over = r["transport"];
    const std::string what =
        of + ' ' + over + ' ' + probe + ' ' + r["bytes"].dump() + ' ' + r.value("form", "");
    expect(probes.count(probe) == 1, what + ": unknown probe");
    const auto known = layers.find(over);
    expect(known != layers.end() && known->second.count(of) == 1,
           what + ": not a layer of that transport");
    if (probe == "store" || probe == "get") {
      expect(forms.count(r.value("form", "")) == 1, what + ": unknown form");
      expect(is_size_of_bulk(r["bytes"]), what + ": bytes");
    } else if (probe == "medium") {
      expect(medium_forms.count(r.value("form", "")) == 1, what + ": unknown form");
      expect(sizes_of_mediums.count(r["bytes"]) == 1, what + ": bytes");
    } else {
      expect(!r.contains("form"), what + ": a form");
      expect(r["bytes"] == (probe == "idle_poll" ? 0 : 32), what + ": bytes");
    }
    return what;
  }

  void row(const json& r) {
    keys("row", r, {"layer", "transport", "probe", "bytes", "value"}, {"form"});
    if (!faults.empty()) return;
    const std::string what = metric_name(r["layer"], r);
    keys(what, r["value"], {"median", "low", "high", "unit", "n", "reached"}, {"remark"});
    interval(what, r["value"], "median");
    const bool bulk = r["probe"] == "store" || r["probe"] == "get";
    expect(r["value"].value("unit", "") == (bulk ? "GB/s" : "ns"), what + ": unit");
    expect(r["value"].value("reached", json()).is_boolean(), what + ": reached");
    expect(seen_.insert(what).second, what + " occurs twice");
  }

  // One that may be unknown, and then says why.
  void value(const std::string& what, const json& v, const std::string& unit) {
    keys(what, v, {"median", "low", "high", "unit", "n", "reached"}, {"remark"});
    if (!faults.empty()) return;
    expect(v["unit"] == unit, what + ": unit");
    expect(v["reached"].is_boolean(), what + ": reached");
    if (v["median"].is_null())
      expect(!v.value("remark", "").empty(), what + ": neither a value nor a remark");
    else
      interval(what, v, "median");
  }

  void layer(const std::string& name, const json& l) {
    keys(name, l, {"logp", "loggp", "by_size", "signature", "validation"},
         {"wake_up", "of_all_conditions", "remarks"});
    if (!faults.empty()) return;
    const std::set<std::string> logp = {"o_s", "o_r", "o_s_stream", "o_r_stream", "g", "L", "rtt"};
    keys(name + ".logp", l["logp"], logp);
    keys(name + ".loggp", l["loggp"], {"G", "g0", "segments"});
    if (!faults.empty()) return;
    for (const std::string& p : logp) value(name + "." + p, l["logp"][p], "ns");
    value(name + ".G", l["loggp"]["G"], "ns/B");
    value(name + ".g0", l["loggp"]["g0"], "ns");
    for (const json& one : l["by_size"]) {
      const std::string what = name + ' ' + one.value("operation", "") + ' ' + one["bytes"].dump();
      for (const char* time : {"o", "g", "T"}) value(what + ' ' + time, one[time], "ns");
      if (one.contains("g_uncached")) value(what + " g_uncached", one["g_uncached"], "ns");
      value(what + " bandwidth", one["bandwidth"], "GB/s");
      expect(seen_.insert(what).second, what + " occurs twice");
    }
    validation(name + ".validation", l["validation"]);
    if (l.contains("wake_up")) value(name + ".wake_up", l["wake_up"], "ns");
  }

  void pattern(const std::string& what, const json& p) {
    if (p.value("verdict", json()).is_null()) {
      keys(what, p, {"verdict", "remark"});
      return;
    }
    keys(what, p, {"verdict", "ranks", "g", "rtt", "times"});
    if (!faults.empty()) return;
    for (const char* time : {"g", "rtt"}) {
      value(what + ' ' + time, p[time], "ns");
      interval(what + ' ' + time, p["times"][time], "ratio");
    }
  }

  void validation(const std::string& name, const json& v) {
    keys(name, v, {}, {"prtt", "startup", "exchange", "pairs", "one_to_many", "many_to_one"});
    for (const char* which : {"pairs", "one_to_many", "many_to_one"})
      if (v.contains(which)) pattern(name + '.' + which, v[which]);
    if (v.contains("prtt")) {
      keys(name + ".prtt", v["prtt"], {"o", "g", "G", "bytes_of_o", "against"}, {"why_off"});
      for (const auto& [key, unit] :
           std::map<std::string, std::string>{{"o", "ns"}, {"g", "ns"}, {"G", "ns/B"}})
        value(name + ".prtt." + key, v["prtt"][key], unit);
      keys(name + ".prtt.against", v["prtt"]["against"], {"o", "g", "G"});
    }
    if (v.contains("startup")) {
      value(name + ".T0", v["startup"]["T0"], "ns");
      value(name + ".R_inf", v["startup"]["R_inf"], "GB/s");
    }
    if (!v.contains("exchange")) return;
    exchange(name + ".exchange", v["exchange"]);
    if (v["exchange"].contains("uncached"))
      exchange(name + ".exchange.uncached", v["exchange"]["uncached"]);
    if (v["exchange"].contains("overlap"))
      interval(name + ".exchange.overlap", v["exchange"]["overlap"], "ratio");
  }

  void exchange(const std::string& name, const json& e) {
    keys(name, e, {"measured", "predicted", "off"}, {"remark", "in_turn", "uncached", "overlap"});
    for (const char* time : {"measured", "predicted", "in_turn"})
      if (e.contains(time)) value(name + '.' + time, e[time], "ns");
  }

  void ratio(const json& r) {
    keys("ratio", r, {"layer", "against", "transport", "probe", "bytes", "ratio", "low", "high"},
         {"form"});
    if (!faults.empty()) return;
    interval(metric_name(r["against"], r), r, "ratio");
  }

 private:
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> departures(const std::string& text) {
  const json whole = json::parse(text, nullptr, false);
  if (whole.is_discarded()) return {"no JSON"};
  schema_checker j;
  j.keys("file", whole, {"schema", "machine", "conditions", "complete", "rows", "ratios"});
  if (!j.faults.empty()) return j.faults;
  j.expect(whole["schema"] == "am-peers/1", "schema");
  j.expect(whole["complete"].is_boolean(), "complete");
  for (const json& r : whole["rows"]) j.row(r);
  for (const json& r : whole["ratios"]) j.ratio(r);
  return j.faults;
}

std::vector<std::string> profile_departures(const std::string& text) {
  const json whole = json::parse(text, nullptr, false);
  if (whole.is_discarded()) return {"no JSON"};
  schema_checker j;
  j.keys("file", whole,
         {"schema", "fingerprint", "machine", "conditions", "complete", "transports"},
         {"runtime", "layers"});
  if (!j.faults.empty()) return j.faults;
  j.expect(whole["schema"] == "am-profile/1", "schema");
  j.expect(whole["fingerprint"].is_string(), "fingerprint");
  j.expect(whole["complete"].is_boolean(), "complete");
  for (const char* group : {"transports", "layers"})
    if (whole.contains(group))
      for (const auto& [name, layer] : whole[group].items())
        j.layer(std::string(group) + ' ' + name, layer);
  return j.faults;
}

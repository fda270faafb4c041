#include <calib/driver/profile/cross_checks_json.hpp>

#include <calib/driver/output/json_values.hpp>
#include <calib/format.hpp>

#include <limits>
#include <string>
#include <utility>

namespace calib {
namespace {

json json_of(const prtt_check& from) {
  const auto off_percent = [](const prtt_value& of) {
    return of.off_percent ? json(rounded(*of.off_percent)) : json();
  };
  return {{"o", value_of(from.o.value, "ns", "")},
          {"g", value_of(from.g.value, "ns", "")},
          {"G", value_of(from.G.value, "ns/B", "")},
          {"bytes_of_o", from.bytes},
          {"against",
           {{"o", off_percent(from.o)}, {"g", off_percent(from.g)}, {"G", off_percent(from.G)}}}};
}

json json_of(const startup_fit& from) {
  return {{"T0", value_of(from.T0, "ns", "")},
          {"R_inf", value_of(from.R_inf, "GB/s", "")},
          {"remark", "T0 is unreliable: it mixes o, L and their overlap, and it may be negative"}};
}

json json_of(const exchange_check& from) {
  json out = {{"measured", value_of(from.measured, "ns", "")},
              {"predicted", value_of(from.predicted, "ns", "")},
              {"off", rounded(from.off_percent)}};
  if (!from.remark.empty()) out["remark"] = from.remark;
  return out;
}

json json_of(const std::optional<pattern_check>& from, const multi_rank_checks& in) {
  if (!from) return {{"verdict", nullptr}, {"remark", in.why_not}};
  return {{"verdict", from->verdict},
          {"ranks", in.ranks},
          {"g", value_of(from->g, "ns", "")},
          {"rtt", value_of(from->rtt, "ns", "")},
          {"times",
           {{"g", bounded("ratio", from->g_times)}, {"rtt", bounded("ratio", from->rtt_times)}}}};
}

prtt_value prtt_value_from(const json_field& from, const char* name, const char* unit) {
  const json_field off_percent = from["against"][name];
  return {known_from(from[name], unit),
          off_percent.is_null() ? std::nullopt : std::optional(off_percent.number())};
}

prtt_check prtt_from(const json_field& from) {
  return {from["bytes_of_o"].number(), prtt_value_from(from, "o", "ns"),
          prtt_value_from(from, "g", "ns"), prtt_value_from(from, "G", "ns/B")};
}

startup_fit startup_from(const json_field& from) {
  return {known_from(from["T0"], "ns"), known_from(from["R_inf"], "GB/s")};
}

exchange_check exchange_from(const json_field& from) {
  const auto remark = from.find("remark");
  return {known_from(from["measured"], "ns"), known_from(from["predicted"], "ns"),
          from["off"].number(), remark ? remark->text() : ""};
}

// A ratio and its interval.
estimate times_from(const json_field& from) {
  estimate out;
  out.median = from["ratio"].number();
  if (!from["low"].is_null())
    out.interval = estimate::bounds{from["low"].number(), from["high"].number()};
  return out;
}

struct pattern_in {
  unsigned ranks = 0;
  std::string why_not;
  std::optional<pattern_check> check;
};

pattern_in pattern_from(const json_field& from) {
  pattern_in out;
  if (from["verdict"].is_null()) {
    out.why_not = from["remark"].text();
    return out;
  }
  const std::uint64_t ranks = from["ranks"].count();
  if (ranks > std::numeric_limits<unsigned>::max()) from["ranks"].expected("a number of ranks");
  out.ranks = static_cast<unsigned>(ranks);
  const json_field times = from["times"];
  out.check =
      pattern_check{known_from(from["g"], "ns"), known_from(from["rtt"], "ns"),
                    times_from(times["g"]), times_from(times["rtt"]), from["verdict"].text()};
  return out;
}

// Nothing: it is missing, or has another form.
template <class Read>
auto find(const json_field& from, const char* name, Read&& read)
    -> std::optional<decltype(read(from))> {
  const auto found = from.find(name);
  if (!found) return std::nullopt;
  std::string fault;
  auto out = read(found->with_own_fault(fault));
  return fault.empty() ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<multi_rank_checks> checks_from(const json_field& from) {
  multi_rank_checks out;
  bool any = false;
  for (const auto& [name, into] : {std::pair("pairs", &multi_rank_checks::pairs),
                                   std::pair("one_to_many", &multi_rank_checks::one_to_many),
                                   std::pair("many_to_one", &multi_rank_checks::many_to_one)})
    if (auto found = find(from, name, pattern_from)) {
      any = true;
      out.*into = std::move(found->check);
      if (out.*into) out.ranks = found->ranks;
      if (!found->why_not.empty()) out.why_not = found->why_not;
    }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

json json_of(const cross_checks& from) {
  json out = json::object();
  if (from.prtt) out["prtt"] = json_of(*from.prtt);
  if (from.startup) out["startup"] = json_of(*from.startup);
  if (from.exchange) out["exchange"] = json_of(*from.exchange);
  if (from.multi_rank) {
    out["pairs"] = json_of(from.multi_rank->pairs, *from.multi_rank);
    out["one_to_many"] = json_of(from.multi_rank->one_to_many, *from.multi_rank);
    out["many_to_one"] = json_of(from.multi_rank->many_to_one, *from.multi_rank);
  }
  return out;
}

cross_checks cross_checks_from(const json_field& validation) {
  return {find(validation, "prtt", prtt_from), find(validation, "startup", startup_from),
          find(validation, "exchange", exchange_from), checks_from(validation)};
}

}  // namespace calib

#include <calib/driver/profile/profile_record.hpp>

#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/profile/sized_costs.hpp>
#include <calib/format.hpp>

#include <iterator>
#include <set>
#include <utility>

namespace calib {
namespace {

cost_record record_of(const loggp_cost& one) { return {{"G", one.G, ""}, {"g0", one.g0, ""}}; }

loggp_record record_of(const std::vector<loggp_cost>& from) {
  const logp::parameter unknown{"", std::nullopt, "no piece of data has a gap"};
  loggp_record out{{unknown, unknown}, {}};
  if (!from.empty()) out.first = record_of(from.front());
  for (const loggp_cost& one : from)
    for (const logp::gap_segment& segment : one.segments)
      out.segments.push_back({one.operation, segment});
  return out;
}

layer_record record_of(const layer_profile& from) {
  return {from.logp,    record_of(from.loggp), from.sizes, from.signature, from.cross_checks,
          from.wake_up, from.of_all_conditions};
}

// Of an operation whose costs are not in the file: the costs of its segments.
cost_record cost_of(const std::vector<logp::gap_segment>& segments) {
  const auto alone = [](double value) { return estimate{value, std::nullopt, 0}; };
  return {{"G", alone(segments.back().G), ""}, {"g0", alone(segments.front().g0), ""}};
}

template <class T>
const T* find(const members<T>* in, const std::string& key) {
  if (in == nullptr) return nullptr;
  const auto at = std::ranges::find(*in, key, &std::pair<std::string, T>::first);
  return at == in->end() ? nullptr : &at->second;
}

// The operations in the order of their first segments, without those whose costs are not known.
std::vector<loggp_cost> costs_of(const layer_record& from, const members<cost_record>* others) {
  std::vector<loggp_cost> all;
  for (const auto& [operation, segment] : from.loggp.segments) {
    auto at = std::ranges::find(all, operation, &loggp_cost::operation);
    if (at == all.end()) at = all.insert(at, {operation, {}, {}, {}, {}, {}});
    at->segments.push_back(segment);
  }
  std::vector<loggp_cost> out;
  for (loggp_cost& one : all) {
    const cost_record* kept =
        &one == &all.front() ? &from.loggp.first : find(others, one.operation);
    const cost_record costs = kept != nullptr ? *kept : cost_of(one.segments);
    if (!costs.G.value || !costs.g0.value) continue;
    one.G = *costs.G.value;
    one.g0 = *costs.g0.value;
    one.half_bandwidth_bytes = half_bandwidth(from.sizes, one.operation);
    one.G_uncached = G_uncached(from.sizes, one.operation);
    out.push_back(std::move(one));
  }
  return out;
}

measured_layer peer_of(const std::string& key) {
  for (const measured_layer& layer : measured_layers())
    if (name_of(layer) == key) return layer;
  const std::size_t over = key.find(" over ");
  if (over == std::string::npos) return {key, ""};
  return {key.substr(0, over), key.substr(over + 6)};
}

layer_profile layer_of(const layer_record& from, measured_layer layer,
                       const members<cost_record>* others) {
  layer_profile out;
  out.layer = std::move(layer);
  out.logp = from.logp;
  if (const std::optional<estimate>& rtt = out.logp["rtt"].value)
    std::ranges::find(out.logp.parameters, "L", &logp::parameter::name)->part_of = rtt->median / 2;
  out.signature = from.signature;
  out.sizes = from.sizes;
  out.loggp = costs_of(from, others);
  out.cross_checks = from.cross_checks;
  out.wake_up = from.wake_up;
  out.of_all_conditions = from.of_all_conditions;
  return out;
}

layer_records record_of(const std::vector<layer_profile>& from) {
  layer_records out;
  for (const layer_profile& one : from) {
    (is_ours(one.layer) ? out.transports : out.peers).emplace_back(one.name(), record_of(one));
    members<cost_record> others;
    for (std::size_t i = 1; i < one.loggp.size(); ++i)
      others.emplace_back(one.loggp[i].operation, record_of(one.loggp[i]));
    if (!others.empty()) out.costs.emplace_back(one.name(), std::move(others));
  }
  return out;
}

std::vector<layer_profile> layers_of(const layer_records& from) {
  std::vector<layer_profile> out;
  for (const auto& [key, one] : from.transports)
    out.push_back(layer_of(one, {"am-" + key, key}, find(&from.costs, key)));
  for (const auto& [key, one] : from.peers)
    out.push_back(layer_of(one, peer_of(key), find(&from.costs, key)));
  return out;
}

void check_ranks(const std::vector<json_field>& from, const std::vector<unsigned>& ranks) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (ranks[i] > 1) from[i].expected("0 or 1");
    if (i > 0 && ranks[i] <= ranks[i - 1]) from[i].expected("more than the one before");
  }
}

}  // namespace

void read(const json_field& from, const signature_list& into) {
  read(from, bounded_list{into.of, 500, "points"});
  std::set<double> delays;
  for (const signature_point& p : into.of) delays.insert(p.delay_ns);
  from.at_most(40, delays.size(), "delays");
}

void read(const json_field& from, condition_record& into) {
  json_reader io(from);
  describe(io, into);
  const line_condition& is = into.is;
  if (is.low > is.line_ns) from["low"].expected(format("at most line_ns, {}", is.line_ns));
  if (is.high < is.line_ns) from["high"].expected(format("at least line_ns, {}", is.line_ns));
  if (!is.slow_ranks.empty()) check_ranks(from["slow_ranks"].items(), is.slow_ranks);
  if (is.usual_paces.size() == 1) from["usual_paces"].expected("two numbers, or none");
  for (const double pace : is.usual_paces)
    if (pace <= 0) from["usual_paces"].expected("numbers above 0");
}

profile_record record_of(const profile& from) {
  profile_record out{from, record_of(from.layers), {}};
  out.of.layers.clear();
  if (from.condition) out.conditions.push_back({*from.condition, {}});
  for (const condition_profile& one : from.others)
    out.conditions.push_back({one.is, record_of(one.layers)});
  return out;
}

profile profile_of(const profile_record& from) {
  profile out = from.of;
  out.layers = layers_of(from.layers);
  for (const condition_record& one : from.conditions)
    if (!out.condition)
      out.condition = one.is;
    else
      out.others.push_back({one.is, layers_of(one.of)});
  return out;
}

}  // namespace calib

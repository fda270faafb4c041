#include <calib/driver/peers/medians.hpp>

#include <algorithm>
#include <iterator>
#include <set>

namespace calib {

median_map collect_medians(const std::vector<launch>& launches) {
  median_map out;
  for (const launch& one : launches)
    if (one.round > 0 && one.fault.empty())
      for (const series& s : one.measured)
        out[{one.layer, parse_metric(s.probe)}][s.variant][one.round] = s.median;
  return out;
}

std::vector<metric> metrics_of(const median_map& all) {
  std::vector<metric> out;
  for (const char* probe : {"rtt", "flood", "rr_flood", "idle_poll"})
    out.push_back(parse_metric(probe));
  std::set<metric> sized;
  for (const auto& [key, variants] : all)
    if (!key.second.form.empty()) sized.insert(key.second);
  const std::pair<const char*, const char*> orders[] = {
      {"medium", "oneway"}, {"medium", "bothways"}, {"store", "untouched"},
      {"store", "touched"}, {"get", "untouched"},   {"get", "touched"}};
  for (const auto& order : orders)
    std::copy_if(sized.begin(), sized.end(), std::back_inserter(out),
                 [&](const metric& s) { return s.probe == order.first && s.form == order.second; });
  return out;
}

std::vector<double> values_of(const by_round& rounds) {
  std::vector<double> out;
  for (const auto& [round, value] : rounds) out.push_back(value);
  return out;
}

const by_variant::value_type* best_variant(const median_map& all, const measured_layer& layer,
                                           const metric& metric) {
  const auto found = all.find({layer, metric});
  if (found == all.end()) return nullptr;
  const by_variant::value_type* out = nullptr;
  for (const auto& candidate : found->second) {
    const auto rank = [](const by_variant::value_type& v) {
      return std::pair(-static_cast<double>(v.second.size()), median(values_of(v.second)));
    };
    if (out == nullptr || rank(candidate) < rank(*out)) out = &candidate;
  }
  return out;
}

std::optional<estimate> ratio_within_rounds(const by_variant::value_type* one,
                                            const by_variant::value_type* other) {
  return within_rounds(one, other, [](double a, double b) { return a / b; });
}

}  // namespace calib

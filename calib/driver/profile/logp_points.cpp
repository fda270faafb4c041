#include <calib/driver/profile/logp_points.hpp>

#include <calib/exchange.hpp>
#include <calib/format.hpp>
#include <calib/logp/loggp.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace calib {
namespace {

using probe_medians = std::map<std::string, double>;  // in ns

std::optional<double> median_of(const probe_medians& medians, const std::string& probe) {
  const auto found = medians.find(probe);
  return found == medians.end() ? std::nullopt : std::optional(found->second);
}

// 0: there is no such note.
std::uint64_t number_in_note(const launch& from, const std::string& note) {
  const auto found = from.notes.find(note);
  return found == from.notes.end() ? 0 : std::strtoull(found->second.c_str(), nullptr, 10);
}

void add_signature(const probe_medians& medians, logp::points& to) {
  for (const auto& [probe, ns] : medians) {
    unsigned delay = 0;
    unsigned long long messages = 0;
    if (std::sscanf(probe.c_str(), "issue/%u/%llu", &delay, &messages) == 2)
      to.signature.push_back({messages, delay, ns});
  }
  to.delays = {0};
  for (unsigned d = 1; const auto ns = median_of(medians, "delay/" + std::to_string(d)); ++d)
    to.delays.push_back(*ns);
  for (unsigned d = 0; const auto ns = median_of(medians, "steady/" + std::to_string(d)); ++d)
    if (d < to.delays.size()) to.steady.push_back({to.delays[d], *ns});
}

// Only the sizes of which all is known.
void add_sized_points(const probe_medians& medians, logp::points& to) {
  std::set<std::pair<std::string, std::size_t>> sizes;
  for (const auto& [probe, ns] : medians) {
    char operation[16] = {};
    std::size_t bytes = 0;
    if (std::sscanf(probe.c_str(), "size/%15[a-z]/%zu/", operation, &bytes) == 2)
      sizes.emplace(operation, bytes);
  }
  for (const auto& [operation, bytes] : sizes) {
    const std::string name = format("size/{}/{}/", operation, bytes);
    const auto o = median_of(medians, name + "o");
    const auto g = median_of(medians, name + "g");
    const auto trip = median_of(medians, name + "trip");
    if (o && g && trip)
      to.sizes.push_back({operation, bytes, *o, *g, *trip, median_of(medians, name + "uncached")});
  }
}

void add_prtt(const probe_medians& medians, logp::points& to) {
  std::set<std::size_t> sizes;
  for (const auto& [probe, ns] : medians) {
    std::size_t bytes = 0;
    if (std::sscanf(probe.c_str(), "prtt/store/%zu/", &bytes) == 1) sizes.insert(bytes);
  }
  for (const std::size_t bytes : sizes) {
    const std::string name = format("prtt/store/{}/", bytes);
    const auto one = median_of(medians, name + "1");
    const auto together = median_of(medians, name + "n");
    const auto spaced = median_of(medians, name + "nd");
    const auto delay = median_of(medians, name + "d");
    if (one && together && spaced && delay)
      to.prtt.push_back({static_cast<double>(bytes), *one, *together, *spaced, *delay,
                         median_of(medians, name + "o"), median_of(medians, name + "g")});
  }
}

}  // namespace

logp::points points_of(const launch& from) {
  probe_medians medians;
  for (const series& s : from.measured) medians[s.probe] = s.median;

  logp::points out;
  out.rtt = median_of(medians, "rtt");
  out.answered_flood = median_of(medians, "answered_flood");
  out.lone_send = median_of(medians, "lone_send");
  out.lone_pair = median_of(medians, "lone_pair");
  out.stream_send = median_of(medians, "stream_send");
  out.window = number_in_note(from, "window");
  out.flood = std::max<std::uint64_t>(number_in_note(from, "flood"), 1);
  out.over_self = from.notes.contains("alone");
  add_signature(medians, out);
  add_sized_points(medians, out);
  add_prtt(medians, out);
  out.prtt_messages = static_cast<double>(number_in_note(from, "train"));
  const std::string exchange = format("exchange/{}", exchange_length);
  out.exchange = median_of(medians, exchange);
  out.exchange_uncached = median_of(medians, exchange + "/uncached");
  const auto one_way = median_of(medians, "both_ways/store");
  const auto other_way = median_of(medians, "both_ways/get");
  const auto both = median_of(medians, "both_ways/both");
  if (one_way && other_way && both && *one_way > 0 && *other_way > 0)
    out.overlap = logp::overlap_of(*one_way, *other_way, *both);
  out.wake_up = median_of(medians, "wake_up");
  return out;
}

}  // namespace calib

#include <calib/driver/profile/logp_points.hpp>

#include <calib/exchange.hpp>
#include <calib/format.hpp>
#include <calib/logp/loggp.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

namespace calib {
namespace {

using probe_medians = std::map<std::string, double>;  // in ns

// 0: it was not measured.
double median_of(const probe_medians& medians, const std::string& probe) {
  const auto found = medians.find(probe);
  return found == medians.end() ? 0 : found->second;
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
  for (unsigned d = 1; medians.contains("delay/" + std::to_string(d)); ++d)
    to.delays.push_back(median_of(medians, "delay/" + std::to_string(d)));
  for (unsigned d = 0; medians.contains("steady/" + std::to_string(d)); ++d)
    if (d < to.delays.size())
      to.steady.push_back({to.delays[d], median_of(medians, "steady/" + std::to_string(d))});
}

void add_sized_points(const probe_medians& medians, logp::points& to) {
  std::map<std::pair<std::string, std::size_t>, logp::sized_point> sizes;
  for (const auto& [probe, ns] : medians) {
    char operation[16] = {};
    char what[12] = {};
    std::size_t bytes = 0;
    if (std::sscanf(probe.c_str(), "size/%15[a-z]/%zu/%11s", operation, &bytes, what) != 3)
      continue;
    logp::sized_point& at = sizes[{operation, bytes}];
    at.operation = operation;
    at.bytes = bytes;
    if (*what == 'u')
      at.g_uncached = ns;
    else
      (*what == 'o' ? at.o : *what == 'g' ? at.g : at.trip) = ns;
  }
  for (const auto& [key, at] : sizes) to.sizes.push_back(at);
}

void add_prtt(const probe_medians& medians, logp::points& to) {
  std::map<std::size_t, logp::prtt_times> sizes;
  for (const auto& [probe, ns] : medians) {
    char what[4] = {};
    std::size_t bytes = 0;
    if (std::sscanf(probe.c_str(), "prtt/store/%zu/%3s", &bytes, what) != 2) continue;
    logp::prtt_times& at = sizes[bytes];
    at.bytes = static_cast<double>(bytes);
    const std::string name = what;
    if (name == "o")
      at.o_after_others = ns;
    else if (name == "g")
      at.gap_after_train = ns;
    else
      (name == "1" ? at.one : name == "n" ? at.together : name == "nd" ? at.spaced : at.delay) = ns;
  }
  for (const auto& [bytes, at] : sizes) to.prtt.push_back(at);
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
  if (medians.contains("stream_send")) out.stream_send = medians["stream_send"];
  out.window = number_in_note(from, "window");
  out.flood = std::max<std::uint64_t>(number_in_note(from, "flood"), 1);
  out.over_self = from.notes.contains("alone");
  add_signature(medians, out);
  add_sized_points(medians, out);
  add_prtt(medians, out);
  out.prtt_messages = static_cast<double>(number_in_note(from, "train"));
  const std::string exchange = format("exchange/{}", exchange_length);
  if (medians.contains(exchange)) out.exchange = medians[exchange];
  if (medians.contains(exchange + "/uncached"))
    out.exchange_uncached = medians[exchange + "/uncached"];
  const double one_way = median_of(medians, "both_ways/store");
  const double other_way = median_of(medians, "both_ways/get");
  if (one_way > 0 && other_way > 0)
    out.overlap = logp::overlap_of(one_way, other_way, median_of(medians, "both_ways/both"));
  if (medians.contains("wake_up")) out.wake_up = medians["wake_up"];
  return out;
}

}  // namespace calib

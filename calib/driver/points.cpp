#include <calib/driver/points.hpp>
#include <calib/exchange.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

namespace calib {
namespace {

double of(const std::map<std::string, double>& medians, const std::string& probe) {
  const auto found = medians.find(probe);
  return found == medians.end() ? 0 : found->second;
}

std::uint64_t number(const launch& from, const std::string& note) {
  const auto found = from.notes.find(note);
  return found == from.notes.end() ? 0 : std::strtoull(found->second.c_str(), nullptr, 10);
}

void add_trains(const std::map<std::string, double>& medians, logp::points& to) {
  std::map<std::size_t, logp::train> trains;
  for (const auto& [probe, ns] : medians) {
    char what[4] = {};
    std::size_t bytes = 0;
    if (std::sscanf(probe.c_str(), "prtt/store/%zu/%3s", &bytes, what) != 2) continue;
    logp::train& at = trains[bytes];
    at.bytes = static_cast<double>(bytes);
    const std::string name = what;
    (name == "1" ? at.one : name == "n" ? at.together : name == "nd" ? at.spaced : at.delay) = ns;
  }
  for (const auto& [bytes, at] : trains) to.trains.push_back(at);
}

}  // namespace

logp::points points_of(const launch& from) {
  std::map<std::string, double> medians;
  for (const series& s : from.measured) medians[s.probe] = s.median;

  logp::points out;
  out.rtt = of(medians, "rtt");
  out.answered_flood = of(medians, "answered_flood");
  out.lone_send = of(medians, "lone_send");
  out.lone_pair = of(medians, "lone_pair");
  if (medians.contains("stream_send")) out.stream_send = medians["stream_send"];
  out.window = number(from, "window");
  out.flood = std::max<std::uint64_t>(number(from, "flood"), 1);
  out.alone = from.notes.contains("alone");
  for (const auto& [probe, ns] : medians) {
    unsigned delay = 0;
    unsigned long long messages = 0;
    if (std::sscanf(probe.c_str(), "issue/%u/%llu", &delay, &messages) == 2)
      out.signature.push_back({messages, delay, ns});
  }
  out.delays = {0};
  for (unsigned d = 1; medians.contains("delay/" + std::to_string(d)); ++d)
    out.delays.push_back(of(medians, "delay/" + std::to_string(d)));
  for (unsigned d = 0; medians.contains("steady/" + std::to_string(d)); ++d)
    if (d < out.delays.size())
      out.steady.push_back({out.delays[d], of(medians, "steady/" + std::to_string(d))});
  std::map<std::pair<std::string, std::size_t>, logp::sized_point> sizes;
  for (const auto& [probe, ns] : medians) {
    char operation[16] = {};
    char what[8] = {};
    std::size_t bytes = 0;
    if (std::sscanf(probe.c_str(), "size/%15[a-z]/%zu/%7s", operation, &bytes, what) != 3) continue;
    logp::sized_point& at = sizes[{operation, bytes}];
    at.operation = operation;
    at.bytes = bytes;
    (*what == 'o' ? at.o : *what == 'g' ? at.g : at.trip) = ns;
  }
  for (const auto& [key, at] : sizes) out.sizes.push_back(at);
  add_trains(medians, out);
  out.train_length = static_cast<double>(number(from, "train"));
  if (const std::string name = format("exchange/{}", exchange_length); medians.contains(name))
    out.exchange = medians[name];
  return out;
}

}  // namespace calib

#include <calib/suite/predict/costs.hpp>

#include <calib/format.hpp>

#include <algorithm>

namespace calib::suite {
namespace {

const layer_profile* find(const profile& in, const std::string& transport) {
  const auto is_it = [&](const layer_profile& one) {
    return is_ours(one.layer) && one.name() == transport;
  };
  const auto found = std::ranges::find_if(in.layers, is_it);
  return found == in.layers.end() ? nullptr : &*found;
}

std::string transports_of(const profile& from) {
  std::string out;
  for (const layer_profile& one : from.layers)
    if (is_ours(one.layer)) out += (out.empty() ? "" : ", ") + one.name();
  return out.empty() ? "none" : out;
}

const logp::parameter* known(const layer_profile& in, const char* name, std::string& problem) {
  const logp::parameter& found = in.logp[name];
  if (found.value) return &found;
  problem = format("{} of {} is not known: {}", name, in.name(), found.remark);
  return nullptr;
}

// Differences of two measurements, which may be below nothing by noise.
double figure(const estimate& of) { return std::max(0.0, of.median); }

}  // namespace

std::optional<costs> costs_of(const profile& from, const std::string& transport,
                              std::string& problem) {
  const layer_profile* const layer = find(from, transport);
  if (layer == nullptr) {
    problem = format("it has not measured {}; it has {}", transport, transports_of(from));
    return std::nullopt;
  }
  const auto* const o_s = known(*layer, "o_s_stream", problem);
  const auto* const g = o_s == nullptr ? nullptr : known(*layer, "g", problem);
  const auto* const rtt = g == nullptr ? nullptr : known(*layer, "rtt", problem);
  if (rtt == nullptr) return std::nullopt;
  const auto store = std::ranges::find(layer->loggp, "store", &loggp_cost::operation);
  if (store == layer->loggp.end()) {
    problem = format("G of {} is not known", transport);
    return std::nullopt;
  }
  costs out{figure(*o_s->value), 0, 0, figure(*g->value), figure(store->G)};
  // Where it is too short to be seen, the gap leaves no more than this for it.
  const logp::parameter& o_r = layer->logp["o_r_stream"];
  out.o_r = o_r.value ? figure(*o_r.value) : std::max(0.0, out.g - out.o_s);
  out.L = std::max(0.0, figure(*rtt->value) / 2 - out.pace());
  return out;
}

double lone_message_extra(const profile& from, const std::string& transport) {
  const layer_profile* const layer = find(from, transport);
  if (layer == nullptr) return 0;
  const logp::parameter& lone = layer->logp["o_s"];
  const logp::parameter& streamed = layer->logp["o_s_stream"];
  if (!lone.value || !streamed.value) return 0;
  return std::max(0.0, lone.value->median - streamed.value->median);
}

}  // namespace calib::suite

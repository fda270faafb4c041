#include <calib/driver/launch/catalogue.hpp>

#include <calib/driver/launch/cpus.hpp>
#include <calib/driver/launch/programs.hpp>
#include <calib/driver/launch/start_table.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// The same two CPUs for every layer, whatever starts and pins its processes.
const std::vector<int>& cpus_of_pair() {
  static const std::vector<int> two = choose_pair_cpus(allowed_cpus());
  return two;
}

void add_specs(const layer_entry& from, const std::string& program, unsigned sample_divisor,
               catalogue& to) {
  for (start_method method : from.methods) {
    if (!find_launcher(method.launcher)) {
      to.missing.push_back(name_of(from.layer) + ": " + method.launcher.front() +
                           " is not in PATH");
      return;
    }
    string_list command = std::move(method.launcher);
    command.push_back(program);
    command.insert(command.end(), method.options.begin(), method.options.end());
    to.specs.push_back({from.layer, method.name, std::move(command), method.variables,
                        cpus_of_pair(), sample_divisor});
  }
}

void add_if_built(const layer_entry& from, unsigned sample_divisor, catalogue& to) {
  const std::string program = path_of(from.program);
  if (program.empty())
    to.missing.push_back(name_of(from.layer) +
                         ": not built: a package that it needs was not found");
  else
    add_specs(from, program, sample_divisor, to);
}

// What libam's layers get, for enough launches in each condition.
struct effort {
  unsigned turns;
  unsigned sample_divisor;
};
// Over shm a message is hardly more than a cache line that moves, so its costs depend most on the
// condition, and a launch is short: many launches of few samples.
effort effort_over(const std::string& transport) {
  if (transport == "self") return {1, 1};
  return transport == "shm" ? effort{13, 2} : effort{2, 1};
}

bool is_module(const std::string& transport) { return transport == "tcp" || transport == "ucx"; }

}  // namespace

std::span<const transport> transports() { return all_transports(); }

std::vector<std::string> built_transports() {
  std::vector<std::string> out;
  for (const transport& one : transports())
    if (one.built) out.emplace_back(one.name);
  return out;
}

const transport& transport_of(const measured_layer& layer) {
  return *std::ranges::find(transports(), layer.transport, &transport::name);
}

measured_layer bulk_limit_of(const measured_layer& layer) {
  return {std::string(transport_of(layer).bulk_limit), layer.transport};
}

const std::vector<measured_layer>& measured_layers() {
  static const std::vector<measured_layer> all = [] {
    std::vector<measured_layer> out;
    for (const layer_entry& e : layer_entries()) out.push_back(e.layer);
    return out;
  }();
  return all;
}

std::string name_of(const measured_layer& layer) {
  const auto& all = measured_layers();
  const bool is_known = is_ours(layer) || std::ranges::find(all, layer) != all.end();
  if (is_known && std::ranges::count(all, layer.name, &measured_layer::name) < 2) return layer.name;
  return layer.name + " over " + layer.transport;
}

catalogue find_layers(const std::vector<std::string>& transport_names,
                      const std::vector<std::string>& layers, bool bulk) {
  catalogue found;
  for (const layer_entry& e : layer_entries()) {
    if (!contains(transport_names, e.layer.transport)) continue;
    if (layers.empty() ? e.only_if_named : !contains(layers, e.layer.name)) continue;
    if (!bulk && measures_only_bulk(e.layer)) continue;
    add_if_built(e, transport_of(e.layer).sample_divisor, found);
  }
  return found;
}

std::vector<std::string> signature_transports() {
  std::vector<std::string> out;
  for (const layer_entry& e : signature_entries()) out.push_back(e.layer.transport);
  return out;
}

std::vector<measured_layer> signature_layers() {
  std::vector<measured_layer> out;
  for (const layer_entry& e : signature_entries()) out.push_back(e.layer);
  for (const layer_entry& e : peer_signature_entries()) out.push_back(e.layer);
  return out;
}

catalogue find_signatures(const std::vector<std::string>& transport_names) {
  catalogue found;
  for (const layer_entry& e : signature_entries()) {
    if (!contains(transport_names, e.layer.transport)) continue;
    if (is_module(e.layer.transport) && !has_module(e.layer.transport))
      found.missing.push_back(e.layer.transport + ": its module is not installed");
    else
      add_if_built(e, effort_over(e.layer.transport).sample_divisor, found);
  }
  catalogue peers;
  for (const layer_entry& e : peer_signature_entries())
    if (contains(transport_names, e.layer.transport)) add_if_built(e, 2, peers);
  found.specs.insert(found.specs.end(), peers.specs.begin(), peers.specs.end());
  found.missing_peers = std::move(peers.missing);
  for (launch_spec& spec : found.specs) {
    spec.line = spec.layer.transport != "self";
    if (is_ours(spec.layer)) spec.turns = effort_over(spec.layer.transport).turns;
  }
  return found;
}

bool has_multi_rank(const measured_layer& layer) {
  return std::ranges::any_of(signature_entries(), [&](const layer_entry& e) {
    return e.layer == layer && !e.methods.front().launcher.empty();
  });
}

std::vector<launch_spec> find_multi_rank(const std::vector<std::string>& transport_names,
                                         unsigned ranks) {
  catalogue found;
  for (layer_entry& e : signature_entries()) {
    if (!contains(transport_names, e.layer.transport) || !has_multi_rank(e.layer)) continue;
    if (is_module(e.layer.transport) && !has_module(e.layer.transport)) continue;
    start_method& method = e.methods.front();
    method.launcher = {"am-run", "-n", std::to_string(ranks), "--bind", "core"};
    method.options = {"--validate"};
    add_if_built(e, 1, found);
  }
  for (launch_spec& spec : found.specs) spec.cpus.clear();  // they need more than a pair has
  return found.specs;
}

}  // namespace calib

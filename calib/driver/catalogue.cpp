#include <calib/driver/catalogue.hpp>
#include <calib/driver/machine.hpp>
#include <calib/driver/programs.hpp>
#include <calib/driver/starts.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Whoever starts its processes, however they are pinned then: every layer has the same two CPUs.
const std::vector<int>& cpus_of_pair() {
  static const std::vector<int> two = two_for_a_pair(allowed_cpus());
  return two;
}

// `part`: of the samples it takes one of so many.
void add_ways(const entry& from, const std::string& program, unsigned part, catalogue& to) {
  for (start how : from.starts) {
    if (!find_launcher(how.launcher)) {
      to.missing.push_back(name_of(from.who) + ": " + how.launcher.front() + " is not in PATH");
      return;
    }
    words command = std::move(how.launcher);
    command.push_back(program);
    command.insert(command.end(), how.options.begin(), how.options.end());
    to.ways.push_back(
        {from.who, how.name, std::move(command), how.environment, cpus_of_pair(), part});
  }
}

void add_if_built(const entry& from, unsigned part, catalogue& to) {
  const std::string program = path_of(from.program);
  if (program.empty())
    to.missing.push_back(name_of(from.who) + ": not built; what it needs was not there");
  else
    add_ways(from, program, part, to);
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

const transport& transport_of(const carrier& who) {
  return *std::ranges::find(transports(), who.transport, &transport::name);
}

carrier bulk_limit_of(const carrier& who) {
  return {std::string(transport_of(who).bulk_limit), who.transport};
}

const std::vector<carrier>& carriers() {
  static const std::vector<carrier> all = [] {
    std::vector<carrier> out;
    for (const entry& e : all_entries()) out.push_back(e.who);
    return out;
  }();
  return all;
}

std::string name_of(const carrier& who) {
  if (std::ranges::count(carriers(), who.layer, &carrier::layer) < 2) return who.layer;
  return who.layer + " over " + who.transport;
}

catalogue find_layers(const std::vector<std::string>& over, const std::vector<std::string>& layers,
                      bool bulk) {
  catalogue found;
  for (const entry& e : all_entries()) {
    if (!among(over, e.who.transport)) continue;
    if (layers.empty() ? e.when_named : !among(layers, e.who.layer)) continue;
    if (!bulk && is_bulk_alone(e.who)) continue;
    add_if_built(e, transport_of(e.who).part, found);
  }
  return found;
}

std::vector<std::string> signed_transports() {
  std::vector<std::string> out;
  for (const entry& e : signature_entries()) out.push_back(e.who.transport);
  return out;
}

std::vector<carrier> signed_layers() {
  std::vector<carrier> out;
  for (const entry& e : signature_entries()) out.push_back(e.who);
  for (const entry& e : peer_signature_entries()) out.push_back(e.who);
  return out;
}

catalogue find_signatures(const std::vector<std::string>& over) {
  catalogue found;
  for (const entry& e : signature_entries()) {
    if (!among(over, e.who.transport)) continue;
    if (is_module(e.who.transport) && !has_module(e.who.transport))
      found.missing.push_back(e.who.transport + ": its module is not installed");
    else
      add_if_built(e, 1, found);
  }
  catalogue peers;
  for (const entry& e : peer_signature_entries())
    if (among(over, e.who.transport)) add_if_built(e, 2, peers);
  found.ways.insert(found.ways.end(), peers.ways.begin(), peers.ways.end());
  found.absent = std::move(peers.missing);
  return found;
}

bool has_crews(const carrier& who) {
  return std::ranges::any_of(signature_entries(), [&](const entry& e) {
    return e.who == who && !e.starts.front().launcher.empty();
  });
}

std::vector<way> find_crews(const std::vector<std::string>& over, unsigned ranks) {
  catalogue found;
  for (entry& e : signature_entries()) {
    if (!among(over, e.who.transport) || !has_crews(e.who)) continue;
    if (is_module(e.who.transport) && !has_module(e.who.transport)) continue;
    start& how = e.starts.front();
    how.launcher = {"am-run", "-n", std::to_string(ranks), "--bind", "core"};
    how.options = {"--validate"};
    add_if_built(e, 1, found);
  }
  for (way& crew : found.ways) crew.cpus.clear();
  return found.ways;
}

}  // namespace calib

#include <calib/driver/launch/own_job.hpp>

#include <calib/driver/launch/programs.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace calib {
namespace {

constexpr const char* pair_classes[] = {"same-cache", "same-host", "other-host"};

std::optional<unsigned> env_number(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  if (error != std::errc{} || end != digits.end()) return std::nullopt;
  return value;
}

const measured_layer all_pairs = {"am-job", "job"};
const measured_layer sockets = {"socket", "other-host"};

measured_layer pair_layer(const char* name) { return {std::string("am-") + name, name}; }

launch_spec job_spec(measured_layer layer, const char* program,
                     const std::vector<std::string>& options) {
  launch_spec out{std::move(layer), {}, {path_of(program)}, {}};
  out.command.insert(out.command.end(), options.begin(), options.end());
  out.in_own_job = true;
  return out;
}

// False: there is no such prefix.
bool strip_prefix(std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return false;
  name.erase(0, prefix.size());
  return true;
}

}  // namespace

std::optional<unsigned> find_own_rank() {
  constexpr std::pair<const char*, const char*> launchers[] = {
      {"AM_JOB_RANK", "AM_JOB_RANKS"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank, ranks] : launchers) {
    const std::optional<unsigned> mine = env_number(rank);
    const std::optional<unsigned> all = env_number(ranks);
    if (mine && all && *all > 1) return mine;
  }
  return std::nullopt;
}

std::vector<launch_spec> own_job_specs(const std::string& transport_list) {
  launch_spec libam = job_spec(all_pairs, "am", {"--pairs"});
  if (!transport_list.empty()) libam.variables = {"AM_TRANSPORT=" + transport_list};
  launch_spec plain =
      job_spec(sockets, "socket", {"--in-job", "--signature", "--sample-us", "300"});
  plain.sample_divisor = 2;
  return {std::move(libam), std::move(plain)};
}

catalogue find_job_layers(const std::vector<std::string>& transport_names,
                          const std::vector<std::string>& layers) {
  catalogue found;
  found.missing.emplace_back("between two hosts only am-tcp, limit-socket and socket are measured");
  if (std::ranges::find(transport_names, "tcp") == transport_names.end()) return found;
  for (const char* program : {"am", "limit-socket", "socket"}) {
    const bool ours = std::string_view(program) == "am";
    const std::string layer = ours ? "am-tcp" : program;
    if (!layers.empty() && std::ranges::find(layers, layer) == layers.end()) continue;
    launch_spec spec = job_spec({layer, "tcp"}, program, {"--in-job"});
    spec.sample_divisor = transport_of(spec.layer).sample_divisor;
    if (ours) spec.variables = {"AM_TRANSPORT=tcp"};
    found.specs.push_back(std::move(spec));
  }
  return found;
}

std::vector<measured_layer> pair_layers() {
  std::vector<measured_layer> out;
  for (const char* name : pair_classes) out.push_back(pair_layer(name));
  out.push_back(sockets);
  return out;
}

std::vector<launch> split_by_pair(const launch& whole) {
  std::vector<launch> out;
  if (whole.layer != all_pairs) return {whole};
  for (const char* name : pair_classes) {
    const std::string prefix = std::string("pair/") + name + '/';
    launch one;
    one.layer = pair_layer(name);
    one.round = whole.round;
    one.fault = whole.fault;
    one.placed = true;
    for (series s : whole.measured)
      if (strip_prefix(s.probe, prefix)) one.measured.push_back(std::move(s));
    for (const auto& [key, text] : whole.notes)
      if (std::string own = key; strip_prefix(own, prefix)) one.notes[own] = text;
    if (!one.measured.empty()) out.push_back(std::move(one));
  }
  if (out.empty()) out.push_back(whole);  // and why it failed
  return out;
}

}  // namespace calib

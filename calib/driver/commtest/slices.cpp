#include <calib/driver/commtest/slices.hpp>

#include <calib/driver/launch/cpus.hpp>
#include <calib/driver/launch/programs.hpp>
#include <calib/driver/launch/start_table.hpp>
#include <calib/format.hpp>
#include <calib/program/commtest/commtest_options.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace calib {
namespace {

constexpr std::array measured_programs = {"am", "openmpi", "mpich"};

bool is_measured(const layer_entry& one) {
  return std::ranges::find(measured_programs, std::string(one.program)) != measured_programs.end();
}

std::vector<unsigned> powers_of_2() {
  std::vector<unsigned> out;
  for (unsigned count = 1; count <= most_packets; count *= 2) out.push_back(count);
  return out;
}

std::string joined(const std::vector<unsigned>& counts) {
  std::string out;
  for (const unsigned one : counts) out += format("{}{}", out.empty() ? "" : ",", one);
  return out;
}

// The value behind an option of a launcher.
void replace_behind(string_list& command, const char* option, const char* value) {
  if (const auto at = std::ranges::find(command, option); at != command.end())
    *std::next(at) = value;
}

bool lacks_module(const measured_layer& layer) {
  const std::string name = layer.transport.substr(0, layer.transport.find(':'));
  return is_ours(layer) && name != "shm" && !has_module(name);
}

// With its launcher and program; empty: it is not here, and a line says why.
string_list command_for(const layer_entry& from, catalogue& to) {
  if (lacks_module(from.layer)) {
    to.missing.push_back(name_of(from.layer) + ": its module is not installed");
    return {};
  }
  const std::string program = path_of(std::string("commtest-") + from.program);
  if (program.empty()) {
    to.missing.push_back(name_of(from.layer) +
                         ": not built: a package that it needs was not found");
    return {};
  }
  string_list out = from.methods.front().launcher;
  if (!find_launcher(out)) {
    to.missing.push_back(format("{}: {} is not in PATH", name_of(from.layer), out.front()));
    return {};
  }
  out.push_back(program);
  return out;
}

// What a launch may take, so that the time left can be estimated from the first ones.
double expected_seconds(const commtest_slice& slice, const std::vector<unsigned>& packets) {
  constexpr double start = 0.4;
  constexpr double invalidation = 0.03;
  constexpr double message = 2e-6;
  constexpr double byte = 2e-9;
  const bool shares_cpus = slice.pairs == swap_pairs[2] && allowed_cpus().size() < 4;
  double curve = 0;
  for (const unsigned count : packets) {
    curve += (count * message * (shares_cpus ? 50 : 1) + static_cast<double>(slice.volume) * byte) *
             repeats_of(slice.mode);
    if (slice.mode == cache_mode::invalidated) curve += invalidation;
  }
  return start + curve * static_cast<double>(swap_protocols().size() * swap_sets.size());
}

launch_spec spec_for(const layer_entry& from, string_list command, const commtest_slice& slice,
                     const std::vector<unsigned>& packets) {
  launch_spec out{from.layer, method_of(slice), std::move(command), from.methods.front().variables,
                  choose_pair_cpus(allowed_cpus())};
  if (slice.pairs != swap_pairs[0]) {  // four processes, on any CPUs
    replace_behind(out.command, "-n", "4");
    replace_behind(out.command, "--bind", "none");
    out.cpus.clear();
  }
  const string_list options = {"--pairs",           slice.pairs,    "--mode",
                               name_of(slice.mode), "--volume",     format("{}", slice.volume),
                               "--packets",         joined(packets)};
  out.command.insert(out.command.end(), options.begin(), options.end());
  out.expected_seconds = expected_seconds(slice, packets);
  return out;
}

}  // namespace

commtest_scope quick_scope() {
  return {{swap_pairs[0]},
          {cache_mode::initialised, cache_mode::repeated},
          {swap_volumes[1]},
          {1, 8, 64, 512, 1024}};
}
commtest_scope usual_scope() {
  return {{swap_pairs[0]},
          {cache_modes.begin(), cache_modes.end()},
          {swap_volumes.begin(), swap_volumes.end()},
          powers_of_2()};
}
commtest_scope full_scope() {
  commtest_scope out = usual_scope();
  out.pairs.assign(swap_pairs.begin(), swap_pairs.end());
  return out;
}

std::vector<commtest_slice> slices_of(const commtest_scope& of) {
  std::vector<commtest_slice> out;
  for (const std::string& pairs : of.pairs)
    for (const std::size_t volume : of.volumes)
      for (const cache_mode mode : of.modes) out.push_back({pairs, mode, volume});
  return out;
}

std::string method_of(const commtest_slice& slice) {
  return format("{}/{}/{}", slice.pairs, name_of(slice.mode), slice.volume);
}

std::string volume_name(std::size_t volume) {
  constexpr std::size_t kib = 1024;
  return volume < kib * kib ? format("{}KB", volume / kib) : format("{}MB", volume / kib / kib);
}
std::vector<std::string> volume_names() {
  std::vector<std::string> out;
  for (const std::size_t one : swap_volumes) out.push_back(volume_name(one));
  return out;
}
std::vector<std::string> mode_names() {
  std::vector<std::string> out;
  for (const cache_mode one : cache_modes) out.emplace_back(name_of(one));
  return out;
}

std::vector<measured_layer> commtest_layers() {
  std::vector<measured_layer> out;
  for (const layer_entry& one : layer_entries())
    if (is_measured(one)) out.push_back(one.layer);
  return out;
}

std::vector<std::string> commtest_transports() {
  std::vector<std::string> out;
  for (const measured_layer& one : commtest_layers())
    if (std::ranges::find(out, one.transport) == out.end() && transport_of(one).built)
      out.push_back(one.transport);
  return out;
}

catalogue find_commtest(const std::vector<std::string>& transport_names,
                        const std::vector<std::string>& layers, const commtest_scope& scope) {
  catalogue found;
  for (const layer_entry& one : layer_entries()) {
    if (!is_measured(one)) continue;
    if (std::ranges::find(transport_names, one.layer.transport) == transport_names.end()) continue;
    if (!layers.empty() && std::ranges::find(layers, one.layer.name) == layers.end()) continue;
    const string_list command = command_for(one, found);
    if (command.empty()) continue;
    for (const commtest_slice& slice : slices_of(scope))
      found.specs.push_back(spec_for(one, command, slice, scope.packets));
  }
  return found;
}

}  // namespace calib

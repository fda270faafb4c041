#include <calib/driver/launch/own_job.hpp>

#include <calib/driver/launch/programs.hpp>

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

measured_layer pair_layer(const char* name) { return {std::string("am-") + name, name}; }

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

launch_spec own_job_spec() {
  launch_spec out{{"am-job", "job"}, {}, {path_of("am"), "--pairs"}, {}};
  out.in_own_job = true;
  return out;
}

std::vector<measured_layer> pair_layers() {
  std::vector<measured_layer> out;
  for (const char* name : pair_classes) out.push_back(pair_layer(name));
  return out;
}

std::vector<launch> split_by_pair(const launch& whole) {
  std::vector<launch> out;
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

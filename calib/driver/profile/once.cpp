#include <calib/driver/profile/once.hpp>

#include <calib/driver/launch/cpus.hpp>
#include <calib/driver/launch/own_job.hpp>
#include <calib/driver/measure/environment.hpp>
#include <calib/driver/output/document.hpp>
#include <calib/driver/profile/profile_store.hpp>
#include <calib/format.hpp>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

namespace calib {
namespace {

constexpr char settings_of_packages[] = "/etc/default/am-tools";

bool is_there(const char* place) { return ::access(place, F_OK) == 0; }

// Users other than root may not see the root of the first process: then it counts as ours.
bool in_chroot() {
  struct stat ours {};
  struct stat first {};
  if (::stat("/", &ours) != 0 || ::stat("/proc/1/root/", &first) != 0) return false;
  return ours.st_dev != first.st_dev || ours.st_ino != first.st_ino;
}

// Marks that Docker, Podman, and systemd's and LXC's containers leave.
bool in_container() {
  return is_there("/.dockerenv") || is_there("/run/.containerenv") ||
         is_there("/run/systemd/container") || ::secure_getenv("container") != nullptr;
}

}  // namespace

readiness read_readiness() { return {load_average(), this_machine().cores, allowed_cpus().size()}; }

std::string find_obstacle(const readiness& now) {
  if (now.cpus < 2) return format("two CPUs are needed and this process may use {}", now.cpus);
  return find_busyness(now.load, now.cores);
}

std::optional<exit_status> end_early(const std::vector<std::string>& places,
                                     const std::string& fingerprint, const readiness& now) {
  const std::optional<kept_profile> kept = find_profile(places, fingerprint);
  if (kept && kept->what.fingerprint == fingerprint) {
    if (kept->what.has_runtime) {
      say(format("the profile of this machine is kept in {}: nothing is measured", kept->place));
      return good;
    }
    say(
        format("the profile in {} counts as missing: libam cannot use its \"runtime\", or it has "
               "none",
               kept->place));
  }
  const std::string obstacle = find_obstacle(now);
  if (obstacle.empty()) return std::nullopt;
  const bool for_ever = now.cpus < 2;
  say(obstacle + ": nothing is measured" + (for_ever ? "" : ", try again later"));
  return for_ever ? impossible : unfit;
}

occasion read_occasion() {
  std::string unreadable;
  const std::string settings = read_text(settings_of_packages, unreadable).value_or("");
  return {::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0 && !find_own_rank(),
          is_there("/run/systemd/system"), in_container() || in_chroot(),
          !forbids_measuring(settings)};
}

bool forbids_measuring(const std::string& settings) {
  bool out = false;
  std::istringstream lines(settings);
  for (std::string line; std::getline(lines, line);) {
    std::erase_if(line, [](char c) { return c == '"' || c == '\'' || c == ' '; });
    if (line.starts_with("measure=")) out = line == "measure=no";
  }
  return out;
}

bool measures_at_show(const std::vector<std::string>& places, const occasion& around,
                      const readiness& now) {
  if (std::ranges::any_of(places, [](const std::string& one) { return is_there(one.c_str()); }))
    return false;
  if (!around.terminal || around.systemd || around.contained || !around.allowed) return false;
  if (!find_obstacle(now).empty()) return false;
  say(
      format("no profile is kept in {} yet: this machine is measured now, once, within a minute; "
             "^C stops it, and measure=no in {} prevents it",
             listed(places), settings_of_packages));
  return true;
}

}  // namespace calib

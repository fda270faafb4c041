#include <libam/tools/am-info/join_report.hpp>

#include <libam/boot/choose_boot.hpp>
#include <libam/boot/pmix/recovery.hpp>

#include <cstdlib>
#include <string_view>

namespace am::detail::info {
namespace {

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

std::string detect_launcher(const seam::boot* job) {
  const std::string_view boot_name = job != nullptr ? job->name() : "";
  if (boot_name == "alone") return {};
  if (boot_name == "run" || (boot_name.empty() && is_set("AM_JOB_FD"))) return "am-run";
  // mpirun may have been started by srun itself, but not the other way round.
  if (is_set("OMPI_COMM_WORLD_SIZE")) return "mpirun";
  if (is_set("SLURM_STEP_NUM_TASKS")) return "srun";
  return is_set("PMIX_RANK") || is_set("PMI_SIZE") ? "another launcher" : "";
}

std::string describe_death_effect(std::string_view launcher, bool outlived) {
  if (launcher == "am-run")
    return outlived ? "am-run names it, and the others go on (AM_ON_PEER_DEATH=callback)"
                    : "am-run names it and ends the others; AM_ON_PEER_DEATH=callback: they go on, "
                      "if every rank has shm";
  if (launcher == "mpirun" && pmix::mpirun_recovers())
    return outlived
               ? "the others go on, on one host (mpirun --enable-recovery, "
                 "AM_ON_PEER_DEATH=callback)"
               : "the first rank to see it ends the job; AM_ON_PEER_DEATH=callback: they go on "
                 "(mpirun --enable-recovery)";
  if (launcher == "mpirun")
    return "mpirun ends the others; mpirun --enable-recovery and AM_ON_PEER_DEATH=callback: they "
           "go on";
  if (launcher == "srun") return "srun ends the others, whatever AM_ON_PEER_DEATH says";
  return launcher.empty() ? "there are no others" : "libam does not know what this launcher does";
}

}  // namespace

join_report join_and_report(const base::settings& settings, std::unique_ptr<seam::boot>& job) {
  join_report how{};
  for (const char* name : boot::consulted_variables) {
    const char* const value = std::getenv(name);
    how.environment.push_back({name, {}});
    if (value != nullptr) how.environment.back().value = value;
  }
  job = boot::choose_boot(settings, how.failure, &how.tried);
  if (job != nullptr) {
    how.failure.clear();
    how.rank = job->rank();
    how.ranks = job->ranks();
  }
  how.launcher = detect_launcher(job.get());
  how.on_death = describe_death_effect(how.launcher, settings.outlives_deaths);
  return how;
}

}  // namespace am::detail::info

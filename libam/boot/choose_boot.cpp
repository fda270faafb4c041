// Checks the environment first: a program that runs as a job of one while it is one of several
// silently computes wrong results.
#include <libam/boot/choose_boot.hpp>

#include <libam/base/format.hpp>
#include <libam/boot/alone/alone.hpp>
#include <libam/boot/run/run.hpp>
#include <libam/seam/load_module.hpp>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace am::detail::boot {
namespace {

unsigned long number_in(const char* variable) {
  const char* text = std::getenv(variable);
  unsigned long value = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

// Has the PMIx server of a launcher other than Slurm started this process? Then Slurm's variables
// of the step are about that launcher.
bool is_started_within_slurm() {
  const char* const name = std::getenv("PMIX_NAMESPACE");
  return name != nullptr && !std::string_view(name).starts_with("slurm.");
}

// The variable by which another launcher shows that this process is one of several, or null.
// SLURM_NTASKS is not one of them: every batch shell has it.
const char* launcher_variable() {
  bool has_size_one = false;
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (number_in(size) > 1) return size;
    const bool of_step = std::string_view(size).starts_with("SLURM");
    has_size_one |= number_in(size) == 1 && !(of_step && is_started_within_slurm());
  }
  // A rank without a size: there may be others.
  if (std::getenv("PMIX_RANK") != nullptr && !has_size_one) return "PMIX_RANK";
  return nullptr;
}

// How a job of several is started so that its ranks find each other.
std::string advice() {
  const char* how = "start it with mpirun of Open MPI, `srun --mpi=pmix` or am-run -n N PROGRAM";
  if (std::getenv("SLURM_STEP_NUM_TASKS") != nullptr)
    how = "start it with `srun --mpi=pmix` or am-run -n N PROGRAM";
  else if (std::getenv("PMI_SIZE") != nullptr)
    how =
        "MPICH's mpirun has no PMIx server: start it with mpirun.openmpi (package "
        "openmpi-bin) or am-run -n N PROGRAM";
  return base::format("{} (or set AM_BOOTSTRAP=alone)", how);
}

std::string refusal(const char* variable, std::string_view why) {
  const std::string evident = variable == nullptr
                                  ? "AM_BOOTSTRAP=pmix"
                                  : base::format("{}={} says that this process is one of several",
                                                 variable, std::getenv(variable));
  return base::format("join: {}, but {}: {}", evident, why, advice());
}

// `variable` shows that there are others; null: none does.
std::unique_ptr<seam::boot> join_pmix(const char* variable, const base::settings& settings,
                                      std::string& why) {
  // A server sets both for each process that it knows.
  if (std::getenv("PMIX_NAMESPACE") == nullptr || std::getenv("PMIX_RANK") == nullptr) {
    why = refusal(variable, "no PMIx server has started it (PMIX_NAMESPACE and PMIX_RANK)");
    return nullptr;
  }
  seam::join_job_fn* const join = seam::load_boot("pmix", settings.module_path, why);
  if (join == nullptr) {
    why = refusal(variable,
                  base::format("pmix is not usable: {} (packages libam-pmix, libpmix2)", why));
    return nullptr;
  }
  std::unique_ptr<seam::boot> job = join(settings, why);
  if (job == nullptr || job->ranks() != 1 || variable == nullptr) return job;
  job->leave();
  why = refusal(variable, "its PMIx server knows no other rank");
  return nullptr;
}

}  // namespace

std::unique_ptr<seam::boot> choose_boot(const base::settings& settings, std::string& why,
                                        std::vector<attempt>* tried) {
  const auto note = [&](const char* name, std::string_view outcome) {
    if (tried != nullptr) tried->push_back({name, std::string(outcome)});
  };
  if (settings.bootstrap == "alone") {
    note("alone", {});
    return make_alone(settings.shm_dir);
  }
  const bool requires_pmix = settings.bootstrap == "pmix";
  if (!requires_pmix) {
    auto under_run = join_run(why);
    if (!under_run && why.empty() && settings.bootstrap == "run")
      why = "join: AM_BOOTSTRAP=run, but am-run has not started this process: am-run -n N PROGRAM";
    if (under_run || !why.empty()) {
      note("run", why);
      return under_run;
    }
    note("run", "am-run has not started this process");
  }
  const char* const variable = launcher_variable();
  if (variable == nullptr && !requires_pmix) {
    note("pmix", "no sign of a launcher in the environment");
    note("alone", {});
    return make_alone(settings.shm_dir);
  }
  auto job = join_pmix(variable, settings, why);
  note("pmix", why);
  return job;
}

}  // namespace am::detail::boot

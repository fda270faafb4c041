// Evidence first: a program that believes to be alone while it is one of many computes nonsense
// without a word.
#include <libam/base/format.hpp>
#include <libam/boot/alone/alone.hpp>
#include <libam/boot/boots.hpp>
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

// Is the PMIx server that has started this process another launcher's than Slurm's? Then what Slurm
// says of its step is about that launcher.
bool is_started_within_slurm() {
  const char* const name = std::getenv("PMIX_NAMESPACE");
  return name != nullptr && !std::string_view(name).starts_with("slurm.");
}

// The variable by which another launcher says that this process is not alone, or null.
// SLURM_NTASKS is none: it stands in every batch shell.
const char* sign_of_others() {
  bool says_one = false;
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (number_in(size) > 1) return size;
    const bool of_step = std::string_view(size).starts_with("SLURM");
    says_one |= number_in(size) == 1 && !(of_step && is_started_within_slurm());
  }
  // A rank without a size beside it: there are others, or nobody knows.
  if (std::getenv("PMIX_RANK") != nullptr && !says_one) return "PMIX_RANK";
  return nullptr;
}

// How a job of several is started so that its ranks find each other.
std::string advice() {
  const char* how = "start it with mpirun of Open MPI, `srun --mpi=pmix` or am-run -n N PROGRAM";
  if (std::getenv("SLURM_STEP_NUM_TASKS") != nullptr)
    how = "start it with `srun --mpi=pmix` or am-run -n N PROGRAM";
  else if (std::getenv("PMI_SIZE") != nullptr)
    how =
        "MPICH's mpirun brings no PMIx server along: start it with mpirun.openmpi (package "
        "openmpi-bin) or am-run -n N PROGRAM";
  return base::format("{} (or set AM_BOOTSTRAP=alone)", how);
}

std::string refusal(const char* sign, std::string_view why) {
  const std::string evident =
      sign == nullptr
          ? "AM_BOOTSTRAP=pmix"
          : base::format("{}={} says that this process is one of several", sign, std::getenv(sign));
  return base::format("join: {}, but {}: {}", evident, why, advice());
}

// `sign` says that there are others, unless it is null.
std::unique_ptr<seam::boot> join_pmix(const char* sign, const base::settings& settings,
                                      std::string& why) {
  // A server gives each process that it knows both.
  if (std::getenv("PMIX_NAMESPACE") == nullptr || std::getenv("PMIX_RANK") == nullptr) {
    why = refusal(sign, "no PMIx server has started it (PMIX_NAMESPACE and PMIX_RANK)");
    return nullptr;
  }
  seam::join_job* const join = seam::load_way_of_joining("pmix", settings.module_path, why);
  if (join == nullptr) {
    why =
        refusal(sign, base::format("pmix is not usable: {} (packages libam-pmix, libpmix2)", why));
    return nullptr;
  }
  std::unique_ptr<seam::boot> job = join(settings, why);
  if (job == nullptr || job->ranks() != 1 || sign == nullptr) return job;
  job->leave();
  why = refusal(sign, "its PMIx server knows of no other");
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
  const bool wants_pmix = settings.bootstrap == "pmix";
  if (!wants_pmix) {
    auto under_run = join_run(why);
    if (!under_run && why.empty() && settings.bootstrap == "run")
      why = "join: AM_BOOTSTRAP=run, but am-run has not started this process: am-run -n N PROGRAM";
    if (under_run || !why.empty()) {
      note("run", why);
      return under_run;
    }
    note("run", "am-run has not started this process");
  }
  const char* const sign = sign_of_others();
  if (sign == nullptr && !wants_pmix) {
    note("pmix", "nothing says that a launcher has started this process");
    note("alone", {});
    return make_alone(settings.shm_dir);
  }
  auto job = join_pmix(sign, settings, why);
  note("pmix", why);
  return job;
}

}  // namespace am::detail::boot

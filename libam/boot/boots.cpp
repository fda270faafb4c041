// Evidence first: a program that believes to be alone while it is one of many computes nonsense
// without a word.
#include <libam/base/format.hpp>
#include <libam/boot/alone/alone.hpp>
#include <libam/boot/boots.hpp>
#include <libam/boot/run/run.hpp>

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

// The variable by which another launcher says that this process is not alone, or null.
// SLURM_NTASKS is none: it stands in every batch shell.
const char* sign_of_others() {
  bool says_one = false;
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (number_in(size) > 1) return size;
    says_one |= number_in(size) == 1;
  }
  // A rank without a size beside it: there are others, or nobody knows.
  if (std::getenv("PMIX_RANK") != nullptr && !says_one) return "PMIX_RANK";
  return nullptr;
}

}  // namespace

std::unique_ptr<seam::boot> choose_boot(const base::settings& settings, std::string& why) {
  if (settings.bootstrap == "alone") return make_alone(settings.shm_dir);
  auto under_run = join_run(why);
  if (under_run || !why.empty()) return under_run;
  if (settings.bootstrap == "run") {
    why = "join: AM_BOOTSTRAP=run, but am-run has not started this process: am-run -n N PROGRAM";
    return nullptr;
  }
  if (const char* sign = sign_of_others()) {
    why = base::format(
        "join: {}={} says that this process is one of several, but joining under mpirun and srun "
        "is not built yet: start it with am-run -n N PROGRAM (or set AM_BOOTSTRAP=alone)",
        sign, std::getenv(sign));
    return nullptr;
  }
  return make_alone(settings.shm_dir);
}

}  // namespace am::detail::boot

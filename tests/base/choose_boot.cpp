// The choice of a boot, and `alone`, the boot of a single process.
#include "environment.hpp"

#include <libam/base/error.hpp>
#include <libam/boot/alone/alone.hpp>
#include <libam/boot/choose_boot.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>
#include <string_view>

using namespace am::detail;
using am_test::environment;

namespace {

using bytes = std::vector<std::byte>;

bytes bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text.data(), text.size()));
  return {view.begin(), view.end()};
}

// The name of the chosen boot, or else the error text.
std::string chosen(const char* bootstrap = "") {
  base::settings settings;
  settings.bootstrap = bootstrap;
  std::string why;
  const auto job = boot::choose_boot(settings, why);
  return job ? std::string(job->name()) : why;
}

bool mentions(const std::string& line, std::string_view word) {
  return line.find(word) != std::string::npos;
}

}  // namespace

TEST_CASE("alone: a value that was put is visible after the fence and not before") {
  const auto job = boot::make_alone(base::default_folder);
  CHECK(job->rank() == 0);
  CHECK(job->ranks() == 1);
  bytes got;
  REQUIRE(job->put("key", bytes_of("value")) == AM_OK);
  CHECK(job->get(0, "key", got) == AM_ARGUMENT_SETTING);
  CHECK(mentions(base::error_text(), "key"));
  REQUIRE(job->start_fence() == AM_OK);
  REQUIRE(job->fence_done() == AM_OK);
  REQUIRE(job->get(0, "key", got) == AM_OK);
  CHECK(got == bytes_of("value"));
  CHECK(job->get(1, "key", got) == AM_ARGUMENT_RANK);

  REQUIRE(job->put("key", bytes_of("other")) == AM_OK);
  REQUIRE(job->get(0, "key", got) == AM_OK);
  CHECK(got == bytes_of("value"));
  REQUIRE(job->start_fence() == AM_OK);
  REQUIRE(job->get(0, "key", got) == AM_OK);
  CHECK(got == bytes_of("other"));
}

TEST_CASE("alone: memory is private and as large as requested") {
  const auto job = boot::make_alone(base::default_folder);
  base::shared_memory memory;
  REQUIRE(job->share_memory(1U << 20, 0, memory) == AM_OK);
  REQUIRE(memory.reserve(0, 4096) == AM_OK);
  memory.data()[0] = std::byte{1};
}

TEST_CASE("an empty environment: alone") { CHECK(chosen() == "alone"); }

TEST_CASE("variables of other launchers that start several ranks are errors that name am-run") {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    environment set(variable, "2");
    CHECK(mentions(chosen(), variable));
    CHECK(mentions(chosen(), "am-run"));
    CHECK(chosen("alone") == "alone");
  }
}

TEST_CASE("variables of other launchers that start one rank are no errors") {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    environment set(variable, "1");
    environment rank("PMIX_RANK", "0");
    CHECK(chosen() == "alone");
  }
  environment batch("SLURM_NTASKS", "64");
  CHECK(chosen() == "alone");
}

TEST_CASE("a rank without a size counts as a launcher") {
  environment set("PMIX_RANK", "0");
  CHECK(mentions(chosen(), "PMIX_RANK=0"));
}

TEST_CASE("without a PMIx server the error names the option of the launcher that was found") {
  CHECK(mentions(chosen("pmix"), "AM_BOOTSTRAP=pmix, but no PMIx server has started it"));
  environment mpich("PMI_SIZE", "2");
  CHECK(mentions(chosen(), "mpirun.openmpi (package openmpi-bin)"));
  environment slurm("SLURM_STEP_NUM_TASKS", "2");
  CHECK(mentions(chosen(), "`srun --mpi=pmix`"));
}

TEST_CASE("AM_BOOTSTRAP=run without am-run is an error") {
  CHECK(mentions(chosen("run"), "AM_BOOTSTRAP=run"));
}

TEST_CASE("an invalid join socket is an error that names the descriptor") {
  {
    environment set("AM_JOB_FD", "987");
    CHECK(mentions(chosen(), "AM_JOB_FD=987"));
    CHECK(chosen("alone") == "alone");
  }
  {
    environment set("AM_JOB_FD", "3x");
    CHECK(mentions(chosen(), "AM_JOB_FD=3x"));
  }
  environment set("AM_JOB_FD", std::to_string(STDERR_FILENO).c_str());
  CHECK(mentions(chosen(), "not am-run's socket"));
}

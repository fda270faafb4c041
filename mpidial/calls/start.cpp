// The begin and the end of MPI.
#include <libam/base/dials.hpp>
#include <libam/base/format.hpp>
#include <mpidial/calls/ending.hpp>
#include <mpidial/environment.hpp>
#include <mpidial/refuse.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace {

using namespace am::detail;
using namespace am::detail::mpidial;

// Before any call of MPI: with another MPI than this library is for, each would be wrong.
void require_own_mpi() {
  if (::dlsym(RTLD_DEFAULT, own_kind.symbol) != nullptr) return;
  const bool other = ::dlsym(RTLD_DEFAULT, other_kind.symbol) != nullptr;
  say(
      base::format("this program uses {}, its launcher or --mpi says {}: start it with the mpirun "
                   "of its MPI{}",
                   other ? other_kind.name : "an MPI that is not known here", own_kind.name,
                   other ? base::format(", or say --mpi {}", other_kind.option) : std::string()));
  std::_Exit(2);
}

void start_dialling() {
  const char* const text = std::getenv(dials_variable);
  if (text == nullptr) return;
  base::dials wanted;
  if (!base::read_dials(text, wanted))
    give_up(base::format("{}={}: must be {}", dials_variable, text, base::dials_range));
  if (const std::string why = base::objection_over_mpi(wanted); !why.empty())
    give_up(base::format("{}={}: {}", dials_variable, text, why));
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  std::string problem;
  auto* const made = new dialler(wanted, level == MPI_THREAD_MULTIPLE, problem);
  if (!problem.empty()) give_up(problem);
  the_dialler = made;
}

}  // namespace

int MPI_Init(int* argc, char*** argv) {
  require_own_mpi();
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) start_dialling();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int wanted, int* provided) {
  require_own_mpi();
  const int result = PMPI_Init_thread(argc, argv, wanted, provided);
  if (result == MPI_SUCCESS) start_dialling();
  return result;
}

int MPI_Finalize() {
  if (the_dialler != nullptr) {
    sweep_freed();
    delete the_dialler;
    the_dialler = nullptr;
  }
  return PMPI_Finalize();
}

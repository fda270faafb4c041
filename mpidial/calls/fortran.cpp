// The calls of Fortran. Those of MPICH call the ones of C, which are dialled; those of Open MPI
// pass them by, so a program that begins MPI in Fortran is refused there instead of being run
// undialled without a word.
#include <mpidial/mpi.hpp>

#if defined(OPEN_MPI)
#include <mpidial/refuse.hpp>

#include <cstdlib>

namespace {

[[noreturn]] void refuse_fortran() {
  am::detail::mpidial::say(
      "this program begins MPI in Fortran, whose calls pass am-dial by in Open MPI: use MPICH");
  std::_Exit(2);
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names are those of compilers for Fortran
void mpi_init_(int*) { refuse_fortran(); }
void mpi_init_thread_(int*, int*, int*) { refuse_fortran(); }
void mpi_init_f08_(int*) { refuse_fortran(); }
void mpi_init_thread_f08_(int*, int*, int*) { refuse_fortran(); }
// NOLINTEND(readability-identifier-naming)
}
#endif

// comb-openmpi and comb-mpich: COMB over MPI. Compiled once with each MPI; started by its mpirun
// with two processes.
#include <calib/layers/mpi_job.hpp>
#include <calib/layers/two_sided_mpi.hpp>
#include <calib/program/comb.hpp>
#include <calib/program/cpu.hpp>

#include <string>

int main(int argc, char** argv) {
  using namespace calib;
  MPI_Init(&argc, &argv);
  const comb_options opts = parse_comb(argc, argv);
  two_sided_mpi library(MPI_COMM_WORLD);
  if (library.ranks() != 2)
    report::fault("needs 2 processes, has " + std::to_string(library.ranks()));
  const bool works = library.rank() == comb_worker;
  pin(library.rank());
  reporter sink;
  if (works) {
    note_mpi();
    const processor cpu;
    measure_comb(library, cpu, sink, opts);
    report::done();
  } else {
    serve_comb(library, sink, opts);
  }
  leave_mpi();
}

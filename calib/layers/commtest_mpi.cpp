// commtest-openmpi and commtest-mpich: COMMTEST over MPI. Compiled once with each MPI. Started with
// 2 processes, or 4 where the pair is not 0-1.
#include <calib/layers/mpi_job.hpp>
#include <calib/layers/two_sided_mpi.hpp>
#include <calib/program/commtest/launch.hpp>

#include <mpi.h>

namespace {

// In an experiment the messages that one process has sent and the other has not received are two at
// most: the two of a set B with buffered sends, twice for what MPI adds and leaves.
std::size_t buffer_bytes_for(const calib::commtest_options& of) {
  return 4 * of.volume + 1024 * MPI_BSEND_OVERHEAD;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace calib;
  MPI_Init(&argc, &argv);
  const commtest_options opts = parse_commtest(argc, argv);
  two_sided_mpi all(MPI_COMM_WORLD);
  check_processes(all.ranks(), opts);
  pin_evenly(all.rank(), opts.processes());
  if (all.rank() == 0) note_mpi();
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, opts.takes_part(all.rank()) ? 1 : 0, 0, &some);
  run_commtest(all, opts, [&](bool) { return two_sided_mpi(some, buffer_bytes_for(opts)); });
  MPI_Comm_free(&some);
  if (all.rank() == 0) report::done();
  leave_mpi();
}

// openmpi and mpich: two-sided messages over MPI (two_sided_probes.hpp). With --signature as in a
// program with requests (mpi_requests.hpp). Compiled once with each MPI.
#include <calib/layers/mpi_job.hpp>
#include <calib/layers/mpi_requests.hpp>
#include <calib/layers/two_sided_mpi.hpp>
#include <calib/layers/two_sided_probes.hpp>
#include <calib/program/calibration.hpp>
#include <calib/program/cpu.hpp>

#include <mpi.h>

#include <string>

namespace {

using namespace calib;

void run_signature(side mine, int peer, const options& opts) {
  MPI_Comm pieces = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &pieces);
  if (mine == side::responder) {
    mpi_responder(peer, pieces).serve();
  } else {
    mpi_requester layer(peer, pieces);
    calibrate(layer, sent_pieces(layer), opts);
    layer.leave();
  }
  MPI_Comm_free(&pieces);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const options opts = parse(argc, argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) report::fault("needs 2 processes, has " + std::to_string(ranks));
  pin(rank);
  if (rank == 0) note_mpi();

  const side mine = rank == 0 ? side::requester : side::responder;
  if (opts.signature) {
    run_signature(mine, 1 - rank, opts);
  } else {
    two_sided_mpi library(MPI_COMM_WORLD);
    measure_two_sided(library, mine, opts);
  }
  if (rank == 0) report::done();
  leave_mpi();
}

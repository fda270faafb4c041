// openmpi and mpich: two-sided messages over MPI (two_sided_probes.hpp). With --signature as in a
// program with requests (mpi_requests.hpp). Compiled once with each MPI.
#include <calib/layers/mpi_requests.hpp>
#include <calib/layers/two_sided_mpi.hpp>
#include <calib/layers/two_sided_probes.hpp>
#include <calib/program/calibration.hpp>
#include <calib/program/cpu.hpp>

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

using namespace calib;

std::string first_line_of_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  std::string first = whole.substr(0, whole.find_first_of(",\n"));
  for (char& c : first)
    if (c == '\t') c = ' ';
  return first;
}

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

// MPICH before 4.2 occasionally hangs in MPI_Finalize, because UCX at the other end has stopped
// (pull request 6596 of pmodels/mpich). All results have been reported before.
void leave() {
#ifdef MPICH_VERSION
  ::signal(SIGALRM, [](int) { ::_exit(0); });
  ::alarm(1);
#endif
  MPI_Finalize();
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
  if (rank == 0) report::note("version", first_line_of_version());
  if (const char* ucx_tls = std::getenv("UCX_TLS"); rank == 0 && ucx_tls != nullptr)
    report::note("UCX_TLS", ucx_tls);

  const side mine = rank == 0 ? side::requester : side::responder;
  if (opts.signature) {
    run_signature(mine, 1 - rank, opts);
  } else {
    two_sided_mpi library(MPI_COMM_WORLD);
    measure_two_sided(library, mine, opts);
  }
  if (rank == 0) report::done();
  leave();
}

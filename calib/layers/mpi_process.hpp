// What the programs over MPI say of it, and how they end.
#pragma once

#include <calib/program/report.hpp>

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace calib {

inline std::string first_line_of_mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  std::string first = whole.substr(0, whole.find_first_of(",\n"));
  for (char& c : first)
    if (c == '\t') c = ' ';
  return first;
}

// Called by rank 0.
inline void note_mpi() {
  report::note("version", first_line_of_mpi_version());
  if (const char* ucx_tls = std::getenv("UCX_TLS"); ucx_tls != nullptr)
    report::note("UCX_TLS", ucx_tls);
}

// MPICH before 4.2 occasionally hangs in MPI_Finalize, because UCX at the other end has stopped
// (pull request 6596 of pmodels/mpich). All results have been reported before.
inline void leave_mpi() {
#ifdef MPICH_VERSION
  ::signal(SIGALRM, [](int) { ::_exit(0); });
  ::alarm(1);
#endif
  MPI_Finalize();
}

}  // namespace calib

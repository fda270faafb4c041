// The launcher of MPI programs that a command begins with, and the library for programs of its MPI.
#pragma once

#include <string>
#include <string_view>

namespace am::detail::dial {

// "openmpi" or "mpich": whose launcher that word names; empty: of no MPI that is known here.
// Links are followed, so that mpirun is what the system has chosen.
std::string mpi_of_launcher(const std::string& word);

// The same by the name of the file alone.
std::string_view mpi_of_file(std::string_view name) noexcept;

// The library for programs of that MPI, which lies where libam is installed; empty: it is not
// there. `where`: the first place that was tried.
std::string dial_library(std::string_view mpi, std::string& where);

}  // namespace am::detail::dial

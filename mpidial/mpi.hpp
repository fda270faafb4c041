// mpi.h of the MPI that the library is compiled for. The library is not linked with it: the program
// is. Processes without MPI get the library as well (the launcher, a shell), so MPI's variables are
// weak, and its functions are looked up at their first call.
#pragma once

#include <mpi.h>

#include <cstdint>

#if defined(OPEN_MPI)
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_request_null
#pragma weak ompi_message_null
#pragma weak ompi_message_no_proc
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_group_null
#endif

namespace am::detail::mpidial {

struct mpi_kind {
  const char* name;
  const char* option;  // of am-dial
  const char* symbol;  // which only its library has
};
inline constexpr mpi_kind open_mpi{"Open MPI", "openmpi", "ompi_mpi_comm_world"};
inline constexpr mpi_kind mpich{"MPICH", "mpich", "MPIR_Dup_fn"};
#if defined(OPEN_MPI)
inline constexpr const mpi_kind& own_kind = open_mpi;
inline constexpr const mpi_kind& other_kind = mpich;
#else
inline constexpr const mpi_kind& own_kind = mpich;
inline constexpr const mpi_kind& other_kind = open_mpi;
#endif

// A handle as a key of tables: a pointer in Open MPI, a number in MPICH. None that is of use is 0.
template <class Object>
std::uint64_t key_of(Object* handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}
inline std::uint64_t key_of(int handle) noexcept { return static_cast<std::uint32_t>(handle); }

}  // namespace am::detail::mpidial

// What the wrappers of sends have in common.
#pragma once

#include <mpidial/calls/receiving.hpp>

namespace am::detail::mpidial {

inline std::size_t bytes_of(MPI_Count count, MPI_Datatype type) noexcept {
  int size = 0;
  if (count <= 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0) return 0;
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

// Spends the overhead of a message and stamps it, before it is handed to MPI.
class sending {
 public:
  sending(MPI_Comm comm, int to, int tag, MPI_Count count, MPI_Datatype type)
      : comm_(comm), to_(to), tag_(tag) {
    if (the_dialler != nullptr && to != MPI_PROC_NULL)
      the_dialler->send(comm, to, tag, bytes_of(count, type));
  }
  // What MPI has returned; where it has received, too, that may have failed by itself.
  int end(int status) const {
    if (!took_message(status) && the_dialler != nullptr && to_ != MPI_PROC_NULL)
      the_dialler->withdraw(comm_, to_, tag_);
    return status;
  }

 private:
  MPI_Comm comm_;
  int to_;
  int tag_;
};

}  // namespace am::detail::mpidial

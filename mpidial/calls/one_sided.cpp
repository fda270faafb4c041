// One-sided calls: the overhead of sending, in the call. Their latency, gaps and bytes are not
// dialled, because no receive ends them.
#include <mpidial/dialler.hpp>

namespace {

using namespace am::detail::mpidial;

void spend_overhead(int target) {
  if (the_dialler != nullptr && target != MPI_PROC_NULL) the_dialler->spend_send_overhead();
}

}  // namespace

int MPI_Put(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place,
            int target_count, MPI_Datatype target_type, MPI_Win window) {
  spend_overhead(target);
  return PMPI_Put(from, count, type, target, place, target_count, target_type, window);
}

int MPI_Get(void* into, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  spend_overhead(target);
  return PMPI_Get(into, count, type, target, place, target_count, target_type, window);
}

int MPI_Accumulate(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place,
                   int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win window) {
  spend_overhead(target);
  return PMPI_Accumulate(from, count, type, target, place, target_count, target_type, op, window);
}

int MPI_Get_accumulate(const void* from, int count, MPI_Datatype type, void* into, int into_count,
                       MPI_Datatype into_type, int target, MPI_Aint place, int target_count,
                       MPI_Datatype target_type, MPI_Op op, MPI_Win window) {
  spend_overhead(target);
  return PMPI_Get_accumulate(from, count, type, into, into_count, into_type, target, place,
                             target_count, target_type, op, window);
}

int MPI_Rput(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place,
             int target_count, MPI_Datatype target_type, MPI_Win window, MPI_Request* handle) {
  spend_overhead(target);
  return PMPI_Rput(from, count, type, target, place, target_count, target_type, window, handle);
}

int MPI_Rget(void* into, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request* handle) {
  spend_overhead(target);
  return PMPI_Rget(into, count, type, target, place, target_count, target_type, window, handle);
}

int MPI_Raccumulate(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place,
                    int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win window,
                    MPI_Request* handle) {
  spend_overhead(target);
  return PMPI_Raccumulate(from, count, type, target, place, target_count, target_type, op, window,
                          handle);
}

int MPI_Rget_accumulate(const void* from, int count, MPI_Datatype type, void* into, int into_count,
                        MPI_Datatype into_type, int target, MPI_Aint place, int target_count,
                        MPI_Datatype target_type, MPI_Op op, MPI_Win window, MPI_Request* handle) {
  spend_overhead(target);
  return PMPI_Rget_accumulate(from, count, type, into, into_count, into_type, target, place,
                              target_count, target_type, op, window, handle);
}

int MPI_Fetch_and_op(const void* from, void* into, MPI_Datatype type, int target, MPI_Aint place,
                     MPI_Op op, MPI_Win window) {
  spend_overhead(target);
  return PMPI_Fetch_and_op(from, into, type, target, place, op, window);
}

int MPI_Compare_and_swap(const void* from, const void* expected, void* into, MPI_Datatype type,
                         int target, MPI_Aint place, MPI_Win window) {
  spend_overhead(target);
  return PMPI_Compare_and_swap(from, expected, into, type, target, place, window);
}

// Collective calls, blocking and not. What they add is a model (collective_model.hpp).
#include <mpidial/calls/collective.hpp>

using namespace am::detail::mpidial;

// BOTH(name, name, parameters, arguments, load): a blocking call, and the one that ends later.
#define BOTH(blocking, later, parameters, arguments, load)                                        \
  int MPI_##blocking(UNWRAP parameters) { return (load).end(PMPI_##blocking(UNWRAP arguments)); } \
  int MPI_##later(UNWRAP parameters, MPI_Request* handle) {                                       \
    return (load).begun(PMPI_##later(UNWRAP arguments, handle), handle);                          \
  }
#define UNWRAP(...) __VA_ARGS__

// Without a message's data: rounds of empty messages.
BOTH(Barrier, Ibarrier, (MPI_Comm comm), (comm), tree_of(comm))

// Rounds that carry all of it.
BOTH(Bcast, Ibcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm),
     (data, count, type, root, comm), tree_of(comm).each(count, type))
BOTH(Reduce, Ireduce,
     (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, int root,
      MPI_Comm comm),
     (from, into, count, type, op, root, comm), tree_of(comm).each(count, type))
BOTH(Allreduce, Iallreduce,
     (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (from, into, count, type, op, comm), tree_of(comm).each(count, type))
BOTH(Scan, Iscan,
     (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (from, into, count, type, op, comm), tree_of(comm).each(count, type))
BOTH(Exscan, Iexscan,
     (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (from, into, count, type, op, comm), tree_of(comm).each(count, type))
BOTH(Reduce_scatter_block, Ireduce_scatter_block,
     (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (from, into, count, type, op, comm), tree_of(comm).blocks(count, type))
BOTH(Reduce_scatter, Ireduce_scatter,
     (const void* from, void* into, const int counts[], MPI_Datatype type, MPI_Op op,
      MPI_Comm comm),
     (from, into, counts, type, op, comm), tree_of(comm).blocks(counts, type))

// Trees that carry a block for each process.
namespace {

collective gather_load(MPI_Comm comm, int root, int own, MPI_Datatype own_type, int other,
                       MPI_Datatype other_type) {
  collective load = tree_of(comm);
  return load.is_root(root) ? load.blocks(other, other_type) : load.blocks(own, own_type);
}
collective gather_load(MPI_Comm comm, int root, int own, MPI_Datatype own_type, const int* others,
                       MPI_Datatype other_type) {
  collective load = tree_of(comm);
  return load.is_root(root) ? load.blocks(others, other_type) : load.own_block(own, own_type);
}

}  // namespace

BOTH(Gather, Igather,
     (const void* from, int count, MPI_Datatype type, void* into, int most, MPI_Datatype into_type,
      int root, MPI_Comm comm),
     (from, count, type, into, most, into_type, root, comm),
     gather_load(comm, root, count, type, most, into_type))
BOTH(Gatherv, Igatherv,
     (const void* from, int count, MPI_Datatype type, void* into, const int counts[],
      const int places[], MPI_Datatype into_type, int root, MPI_Comm comm),
     (from, count, type, into, counts, places, into_type, root, comm),
     gather_load(comm, root, count, type, counts, into_type))
BOTH(Scatter, Iscatter,
     (const void* from, int count, MPI_Datatype type, void* into, int most, MPI_Datatype into_type,
      int root, MPI_Comm comm),
     (from, count, type, into, most, into_type, root, comm),
     gather_load(comm, root, most, into_type, count, type))
BOTH(Scatterv, Iscatterv,
     (const void* from, const int counts[], const int places[], MPI_Datatype type, void* into,
      int most, MPI_Datatype into_type, int root, MPI_Comm comm),
     (from, counts, places, type, into, most, into_type, root, comm),
     gather_load(comm, root, most, into_type, counts, type))
BOTH(Allgather, Iallgather,
     (const void* from, int count, MPI_Datatype type, void* into, int most, MPI_Datatype into_type,
      MPI_Comm comm),
     (from, count, type, into, most, into_type, comm), tree_of(comm).blocks(most, into_type))
BOTH(Allgatherv, Iallgatherv,
     (const void* from, int count, MPI_Datatype type, void* into, const int counts[],
      const int places[], MPI_Datatype into_type, MPI_Comm comm),
     (from, count, type, into, counts, places, into_type, comm),
     tree_of(comm).blocks(counts, into_type))

// A message to every other process.
BOTH(Alltoall, Ialltoall,
     (const void* from, int count, MPI_Datatype type, void* into, int most, MPI_Datatype into_type,
      MPI_Comm comm),
     (from, count, type, into, most, into_type, comm), exchange_of(comm).each(most, into_type))
BOTH(Alltoallv, Ialltoallv,
     (const void* from, const int counts[], const int places[], MPI_Datatype type, void* into,
      const int into_counts[], const int into_places[], MPI_Datatype into_type, MPI_Comm comm),
     (from, counts, places, type, into, into_counts, into_places, into_type, comm),
     exchange_of(comm).blocks(into_counts, into_type))
BOTH(Alltoallw, Ialltoallw,
     (const void* from, const int counts[], const int places[], const MPI_Datatype types[],
      void* into, const int into_counts[], const int into_places[], const MPI_Datatype into_types[],
      MPI_Comm comm),
     (from, counts, places, types, into, into_counts, into_places, into_types, comm),
     exchange_of(comm).blocks(into_counts, into_types))

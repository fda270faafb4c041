// The calls that make and free communicators: each new one gets its number (communicators.hpp).
#include <mpidial/calls/receiving.hpp>

namespace {

using namespace am::detail::mpidial;

// A call that all members of `parent` make.
template <class Call>
int make_child(MPI_Comm parent, const MPI_Comm* made, Call&& call) {
  if (the_dialler == nullptr) return call();
  auto guard = the_dialler->lock();
  const std::uint64_t id = the_dialler->comms().next_child(parent);
  if (guard) guard.unlock();
  const int result = call();
  if (result != MPI_SUCCESS) return result;
  guard = the_dialler->lock();
  the_dialler->comms().add(*made, id);
  return result;
}

// A call that its members make; `what` is the same for all of them.
template <class Call>
int make_among(std::uint64_t what, const MPI_Comm* made, Call&& call) {
  const int result = call();
  if (the_dialler == nullptr || result != MPI_SUCCESS || *made == MPI_COMM_NULL) return result;
  const auto guard = the_dialler->lock();
  the_dialler->comms().add(*made, the_dialler->comms().next_among(*made, what));
  return result;
}

std::uint64_t what_among(int first, int second) noexcept {
  return static_cast<std::uint64_t>(first) << 32U | static_cast<std::uint32_t>(second);
}

// One that exists only when its request has ended.
template <class Call>
int make_later(MPI_Comm parent, MPI_Comm* made, MPI_Request* handle, Call&& call) {
  if (the_dialler == nullptr) return call();
  request one;
  one.kind = request_kind::collective;
  one.made = made;
  {
    const auto guard = the_dialler->lock();
    one.made_id = the_dialler->comms().next_child(parent);
  }
  return note_request(call(), handle, one);
}

void remove(MPI_Comm handle) {
  if (the_dialler == nullptr) return;
  const auto guard = the_dialler->lock();
  the_dialler->comms().remove(
      handle, !the_dialler->has_threads() && the_dialler->requests().empty() && !has_freed());
}

}  // namespace

int MPI_Comm_dup(MPI_Comm of, MPI_Comm* made) {
  return make_child(of, made, [&] { return PMPI_Comm_dup(of, made); });
}

int MPI_Comm_dup_with_info(MPI_Comm of, MPI_Info info, MPI_Comm* made) {
  return make_child(of, made, [&] { return PMPI_Comm_dup_with_info(of, info, made); });
}

int MPI_Comm_idup(MPI_Comm of, MPI_Comm* made, MPI_Request* handle) {
  return make_later(of, made, handle, [&] { return PMPI_Comm_idup(of, made, handle); });
}

#if MPI_VERSION >= 4
int MPI_Comm_idup_with_info(MPI_Comm of, MPI_Info info, MPI_Comm* made, MPI_Request* handle) {
  return make_later(of, made, handle,
                    [&] { return PMPI_Comm_idup_with_info(of, info, made, handle); });
}
#endif

int MPI_Comm_split(MPI_Comm of, int colour, int key, MPI_Comm* made) {
  return make_child(of, made, [&] { return PMPI_Comm_split(of, colour, key, made); });
}

int MPI_Comm_split_type(MPI_Comm of, int type, int key, MPI_Info info, MPI_Comm* made) {
  return make_child(of, made, [&] { return PMPI_Comm_split_type(of, type, key, info, made); });
}

int MPI_Comm_create(MPI_Comm of, MPI_Group group, MPI_Comm* made) {
  return make_child(of, made, [&] { return PMPI_Comm_create(of, group, made); });
}

int MPI_Comm_create_group(MPI_Comm of, MPI_Group group, int tag, MPI_Comm* made) {
  return make_among(what_among(1, tag), made,
                    [&] { return PMPI_Comm_create_group(of, group, tag, made); });
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peers, int other_leader, int tag,
                         MPI_Comm* made) {
  return make_among(what_among(2, tag), made, [&] {
    return PMPI_Intercomm_create(local, leader, peers, other_leader, tag, made);
  });
}

int MPI_Intercomm_merge(MPI_Comm of, int high, MPI_Comm* made) {
  return make_child(of, made, [&] { return PMPI_Intercomm_merge(of, high, made); });
}

int MPI_Cart_create(MPI_Comm of, int dimensions, const int lengths[], const int periodic[],
                    int reorder, MPI_Comm* made) {
  return make_child(
      of, made, [&] { return PMPI_Cart_create(of, dimensions, lengths, periodic, reorder, made); });
}

int MPI_Cart_sub(MPI_Comm of, const int kept[], MPI_Comm* made) {
  return make_child(of, made, [&] { return PMPI_Cart_sub(of, kept, made); });
}

int MPI_Graph_create(MPI_Comm of, int nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* made) {
  return make_child(of, made,
                    [&] { return PMPI_Graph_create(of, nodes, index, edges, reorder, made); });
}

int MPI_Dist_graph_create(MPI_Comm of, int count, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* made) {
  return make_child(of, made, [&] {
    return PMPI_Dist_graph_create(of, count, sources, degrees, destinations, weights, info, reorder,
                                  made);
  });
}

int MPI_Dist_graph_create_adjacent(MPI_Comm of, int sources, const int from[],
                                   const int from_weights[], int destinations, const int to[],
                                   const int to_weights[], MPI_Info info, int reorder,
                                   MPI_Comm* made) {
  return make_child(of, made, [&] {
    return PMPI_Dist_graph_create_adjacent(of, sources, from, from_weights, destinations, to,
                                           to_weights, info, reorder, made);
  });
}

int MPI_Comm_free(MPI_Comm* handle) {
  remove(*handle);
  return PMPI_Comm_free(handle);
}

int MPI_Comm_disconnect(MPI_Comm* handle) {
  remove(*handle);
  return PMPI_Comm_disconnect(handle);
}

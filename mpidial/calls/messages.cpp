// The calls that send or receive one message: with counts of type int, and in MPI 4 also with those
// of type MPI_Count, whose names end in _c.
#include <mpidial/calls/receiving.hpp>
#include <mpidial/calls/sending.hpp>

namespace {

using namespace am::detail::mpidial;

int note_persistent_send(int result, const MPI_Request* handle, MPI_Comm comm, int to, int tag,
                         std::size_t bytes) {
  request one;
  one.kind = request_kind::send;
  one.persistent = true;
  one.active = false;
  one.handle = comm;
  one.to = to;
  one.tag = tag;
  one.bytes = bytes;
  return note_request(result, handle, one);
}

request take_message(MPI_Message message) {
  if (the_dialler == nullptr) return {};
  const auto guard = the_dialler->lock();
  const request* const found = the_dialler->messages().find(key_of(message));
  if (found == nullptr) return {};
  const request one = *found;
  the_dialler->messages().erase(key_of(message));
  return one;
}

}  // namespace

#define CALL(name) MPI_##name
#define PMPI_CALL(name) PMPI_##name
using count_t = int;
#include <mpidial/calls/messages.inc>

#if MPI_VERSION >= 4
#undef CALL
#undef PMPI_CALL
#define CALL(name) MPI_##name##_c
#define PMPI_CALL(name) PMPI_##name##_c
#define count_t MPI_Count
#include <mpidial/calls/messages.inc>
#endif

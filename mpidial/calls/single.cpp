// The calls about one request, and those that start persistent ones.
#include <mpidial/calls/ending.hpp>

namespace {

using namespace am::detail::mpidial;

// Before MPI starts it.
void start(MPI_Request handle) {
  if (the_dialler == nullptr) return;
  request one;
  {
    const auto guard = the_dialler->lock();
    request* const found = the_dialler->requests().find(key_of(handle));
    if (found == nullptr) return;
    found->active = true;
    one = *found;
  }
  if (one.kind == request_kind::send && one.to != MPI_PROC_NULL)
    the_dialler->send(one.handle, one.to, one.tag, one.bytes);
}

bool is_dialled(MPI_Request handle) {
  if (the_dialler == nullptr || handle == MPI_REQUEST_NULL) return false;
  const auto guard = the_dialler->lock();
  return the_dialler->requests().find(key_of(handle)) != nullptr;
}

}  // namespace

int MPI_Start(MPI_Request* handle) {
  start(*handle);
  return PMPI_Start(handle);
}

int MPI_Startall(int count, MPI_Request* handles) {
  for (int i = 0; i < count; ++i) start(handles[i]);
  return PMPI_Startall(count, handles);
}

int MPI_Wait(MPI_Request* handle, MPI_Status* status) {
  return the_dialler == nullptr ? PMPI_Wait(handle, status) : end_request(handle, status);
}

int MPI_Test(MPI_Request* handle, int* ended, MPI_Status* status) {
  if (!is_dialled(*handle)) return PMPI_Test(handle, ended, status);
  switch (look_at(*handle, the_dialler->polling_since())) {
    case request_state::absent: return PMPI_Test(handle, ended, status);
    case request_state::pending: *ended = 0; return MPI_SUCCESS;
    case request_state::over: break;
  }
  *ended = 1;
  return end_request(handle, status);
}

int MPI_Request_get_status(MPI_Request handle, int* ended, MPI_Status* status) {
  if (is_dialled(handle) &&
      look_at(handle, the_dialler->polling_since()) == request_state::pending) {
    *ended = 0;
    return MPI_SUCCESS;
  }
  return PMPI_Request_get_status(handle, ended, status);
}

int MPI_Cancel(MPI_Request* handle) {
  if (is_dialled(*handle)) {
    const auto guard = the_dialler->lock();
    the_dialler->requests().find(key_of(*handle))->cancelled = true;
  }
  return PMPI_Cancel(handle);
}

int MPI_Request_free(MPI_Request* handle) {
  if (!is_dialled(*handle)) return PMPI_Request_free(handle);
  sweep_freed();
  request one;
  const bool active = take_request(*handle, one);
  {
    const auto guard = the_dialler->lock();
    the_dialler->requests().erase(key_of(*handle));
  }
  if (!active || one.here || one.kind != request_kind::receive) return PMPI_Request_free(handle);
  free_later(*handle, one);
  *handle = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

#include <mpidial/calls/ending.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace am::detail::mpidial {

namespace {

struct freed_request {
  MPI_Request handle;
  request what;
};
std::vector<freed_request>& freed() {
  static std::vector<freed_request> all;
  return all;
}

}  // namespace

request_state look_at(MPI_Request handle, ticks waiting_since) {
  if (handle == MPI_REQUEST_NULL) return request_state::absent;
  sweep_freed();
  request one;
  bool known = false;
  {
    const auto guard = the_dialler->lock();
    if (const request* const found = the_dialler->requests().find(key_of(handle))) {
      known = true;
      one = *found;
    }
  }
  if (known && !one.active) return request_state::absent;
  if (!known || !one.here) {
    int ended = 0;
    MPI_Status status;
    PMPI_Request_get_status(handle, &ended, &status);
    if (ended == 0) return request_state::pending;
    if (!known || one.kind == request_kind::send) return request_state::over;
    find_arrival(one, status, waiting_since);
    put_back(handle, one);
  }
  return one.due <= the_dialler->now() ? request_state::over : request_state::pending;
}

bool take_request(MPI_Request handle, request& out) {
  if (handle == MPI_REQUEST_NULL) return false;
  const auto guard = the_dialler->lock();
  request* const found = the_dialler->requests().find(key_of(handle));
  if (found == nullptr || !found->active) return false;
  out = *found;
  if (!found->persistent) {
    the_dialler->requests().erase(key_of(handle));
    return true;
  }
  found->active = found->here = found->matched = found->cancelled = found->dialled = false;
  found->due = 0;
  return true;
}

void put_back(MPI_Request handle, const request& one) {
  const auto guard = the_dialler->lock();
  the_dialler->requests().put(key_of(handle), one);
}

void find_arrival(request& one, const MPI_Status& status, ticks waiting_since) {
  if (std::exchange(one.here, true)) return;
  if (one.kind == request_kind::collective) {
    if (one.due == 0) return;
    // What it takes by itself is added where this process has waited for it.
    const ticks now = the_dialler->now();
    const ticks waited = waiting_since == 0 ? 0 : now - std::max(waiting_since, one.begun);
    one.due = std::max(now, one.due + waited);
    return;
  }
  if (one.kind == request_kind::send || one.matched) return;
  int cancelled = 0;
  if (one.cancelled) PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled != 0) return;
  const auto arrival =
      the_dialler->receive(one.comm, status.MPI_SOURCE, status.MPI_TAG, waiting_since);
  one.due = arrival.due;
  one.dialled = arrival.dialled;
}

void finish(const request& one) {
  if (one.made != nullptr) {
    const auto guard = the_dialler->lock();
    the_dialler->comms().add(*one.made, one.made_id);
  }
  if (one.kind == request_kind::receive)
    the_dialler->end_receive({one.due, 0, one.dialled});
  else if (one.kind == request_kind::collective && one.due != 0)
    the_dialler->wait_until(one.due);
}

int end_request(MPI_Request* handle, MPI_Status* status) {
  sweep_freed();
  request one;
  if (!take_request(*handle, one)) return PMPI_Wait(handle, status);
  status_place its(status);
  const bool waits = one.kind == request_kind::collective || the_dialler->dials().L > 0;
  const ticks since = waits ? the_dialler->now() : 0;
  const int result = PMPI_Wait(handle, its.get());
  if (!took_message(result)) return result;
  find_arrival(one, *its.get(), since);
  finish(one);
  return result;
}

void free_later(MPI_Request handle, const request& one) {
  const auto guard = the_dialler->lock();
  freed().push_back({handle, one});
}

bool has_freed() noexcept { return !freed().empty(); }

void sweep_freed() {
  std::vector<freed_request> ended;
  {
    const auto guard = the_dialler->lock();
    if (freed().empty()) return;
    std::erase_if(freed(), [&](const freed_request& one) {
      int over = 0;
      MPI_Status status;
      PMPI_Request_get_status(one.handle, &over, &status);
      if (over != 0) ended.push_back(one);
      return over != 0;
    });
  }
  for (freed_request& one : ended) {
    MPI_Status status;
    PMPI_Wait(&one.handle, &status);
    if (one.what.persistent) PMPI_Request_free(&one.handle);
    find_arrival(one.what, status, 0);
  }
}

}  // namespace am::detail::mpidial

// The calls about several requests. Each is looked at without being ended, so that none is ended
// before it is due.
#include <mpidial/calls/ending.hpp>

#include <algorithm>
#include <vector>

namespace {

using namespace am::detail::mpidial;

struct taken_request {
  int index;
  MPI_Request handle;
  request what;
};

std::vector<taken_request> take_requests(int count, const MPI_Request* handles) {
  std::vector<taken_request> taken;
  taken_request next{};
  for (int i = 0; i < count; ++i) {
    if (!take_request(handles[i], next.what)) continue;
    next.index = i;
    next.handle = handles[i];
    taken.push_back(next);
  }
  return taken;
}

// MPI has ended them: waits for each until it is due, in the order in which they are.
void finish_requests(std::vector<taken_request>& taken, const MPI_Status* statuses, int result,
                     ticks since) {
  if (taken.size() != 1) since = 0;  // which of them was waited for is not known
  std::erase_if(taken, [&](const taken_request& one) {
    const MPI_Status& its = statuses[one.index];
    if (result == MPI_SUCCESS || took_message(its.MPI_ERROR)) return false;
    if (its.MPI_ERROR == MPI_ERR_PENDING) put_back(one.handle, one.what);
    return true;
  });
  for (taken_request& one : taken) find_arrival(one.what, statuses[one.index], since);
  std::ranges::stable_sort(taken, {}, [](const taken_request& one) { return one.what.due; });
  for (const taken_request& one : taken) finish(one.what);
}

// The statuses that the program has given, or our own.
class status_places {
 public:
  status_places(int count, MPI_Status* given)
      : own_(given == MPI_STATUSES_IGNORE ? static_cast<std::size_t>(count) : 0),
        used_(given == MPI_STATUSES_IGNORE ? own_.data() : given) {}
  [[nodiscard]] MPI_Status* get() noexcept { return used_; }
  [[nodiscard]] MPI_Status* at(int i) noexcept { return &used_[i]; }

 private:
  std::vector<MPI_Status> own_;
  MPI_Status* used_;
};

struct look {
  int over = -1;        // the first one that is over
  bool active = false;  // one is not absent
};

look look_for_one(int count, const MPI_Request* handles, ticks since) {
  look seen;
  for (int i = 0; i < count; ++i) {
    const request_state state = look_at(handles[i], since);
    if (state != request_state::absent) seen.active = true;
    if (state != request_state::over) continue;
    seen.over = i;
    return seen;
  }
  return seen;
}

// Ends all that are over.
int end_some(int count, MPI_Request* handles, int* ended, int* indices, MPI_Status* statuses,
             bool& active, ticks since) {
  status_places places(count, statuses);
  int result = MPI_SUCCESS;
  *ended = 0;
  for (int i = 0; i < count; ++i) {
    const request_state state = look_at(handles[i], since);
    if (state != request_state::absent) active = true;
    if (state != request_state::over) continue;
    const int one = end_request(&handles[i], places.at(*ended));
    places.at(*ended)->MPI_ERROR = one;
    if (one != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
    indices[(*ended)++] = i;
  }
  return result;
}

}  // namespace

int MPI_Waitall(int count, MPI_Request* handles, MPI_Status* statuses) {
  if (the_dialler == nullptr || count <= 0) return PMPI_Waitall(count, handles, statuses);
  sweep_freed();
  std::vector<taken_request> taken = take_requests(count, handles);
  if (taken.empty()) return PMPI_Waitall(count, handles, statuses);
  status_places places(count, statuses);
  const ticks since = the_dialler->now();
  const int result = PMPI_Waitall(count, handles, places.get());
  finish_requests(taken, places.get(), result, since);
  return result;
}

int MPI_Testall(int count, MPI_Request* handles, int* ended, MPI_Status* statuses) {
  if (the_dialler == nullptr || count <= 0) return PMPI_Testall(count, handles, ended, statuses);
  const ticks since = the_dialler->polling_since();
  const auto is_pending = [since](MPI_Request one) {
    return look_at(one, since) == request_state::pending;
  };
  if (std::any_of(handles, handles + count, is_pending)) {
    *ended = 0;
    return MPI_SUCCESS;
  }
  sweep_freed();
  std::vector<taken_request> taken = take_requests(count, handles);
  status_places places(count, statuses);
  const int result = PMPI_Testall(count, handles, ended, places.get());
  if (*ended == 0) {
    for (const taken_request& one : taken) put_back(one.handle, one.what);
    return result;
  }
  finish_requests(taken, places.get(), result, 0);
  return result;
}

int MPI_Waitany(int count, MPI_Request* handles, int* index, MPI_Status* status) {
  if (the_dialler == nullptr) return PMPI_Waitany(count, handles, index, status);
  const ticks since = start_of_wait(*the_dialler);
  for (;;) {
    const look seen = look_for_one(count, handles, since);
    if (!seen.active) return PMPI_Waitany(count, handles, index, status);
    if (seen.over < 0) {
      the_dialler->progress();
      continue;
    }
    *index = seen.over;
    return end_request(&handles[seen.over], status);
  }
}

int MPI_Testany(int count, MPI_Request* handles, int* index, int* ended, MPI_Status* status) {
  if (the_dialler == nullptr) return PMPI_Testany(count, handles, index, ended, status);
  const look seen = look_for_one(count, handles, the_dialler->polling_since());
  if (!seen.active) return PMPI_Testany(count, handles, index, ended, status);
  *ended = seen.over >= 0 ? 1 : 0;
  *index = seen.over >= 0 ? seen.over : MPI_UNDEFINED;
  return seen.over < 0 ? MPI_SUCCESS : end_request(&handles[seen.over], status);
}

int MPI_Waitsome(int count, MPI_Request* handles, int* ended, int* indices, MPI_Status* statuses) {
  if (the_dialler == nullptr) return PMPI_Waitsome(count, handles, ended, indices, statuses);
  const ticks since = start_of_wait(*the_dialler);
  for (;;) {
    bool active = false;
    const int result = end_some(count, handles, ended, indices, statuses, active, since);
    if (!active) return PMPI_Waitsome(count, handles, ended, indices, statuses);
    if (*ended > 0) return result;
    the_dialler->progress();
  }
}

int MPI_Testsome(int count, MPI_Request* handles, int* ended, int* indices, MPI_Status* statuses) {
  if (the_dialler == nullptr) return PMPI_Testsome(count, handles, ended, indices, statuses);
  bool active = false;
  const int result =
      end_some(count, handles, ended, indices, statuses, active, the_dialler->polling_since());
  return active ? result : PMPI_Testsome(count, handles, ended, indices, statuses);
}

// What the wrappers of receives and of calls that end requests have in common.
#pragma once

#include <mpidial/dialler.hpp>

namespace am::detail::mpidial {

// Whether a receive that has returned this has taken a message.
inline bool took_message(int status) noexcept {
  if (status == MPI_SUCCESS) return true;
  int error_class = 0;
  PMPI_Error_class(status, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

// The time, where it is of use to know since when a process waits.
inline ticks start_of_wait(const dialler& by) noexcept { return by.dials().L > 0 ? by.now() : 0; }

inline const communicator* find_communicator(dialler& in, MPI_Comm handle) {
  const auto guard = in.lock();
  return in.comms().find(handle);
}

// The status that the program has given, or one of our own where it ignores that.
class status_place {
 public:
  explicit status_place(MPI_Status* given) noexcept
      : used_(given == MPI_STATUS_IGNORE ? &own_ : given) {}
  status_place(const status_place&) = delete;
  status_place& operator=(const status_place&) = delete;
  [[nodiscard]] MPI_Status* get() noexcept { return used_; }

 private:
  MPI_Status own_{};
  MPI_Status* used_;
};

// Takes the stamps of receives that have ended and whose requests the program has freed
// (ending.cpp).
void sweep_freed();
// Whether one has not ended. Under the dialler's lock.
bool has_freed() noexcept;

// A receive that blocks.
class receiving {
 public:
  receiving(MPI_Comm comm, MPI_Status* given) : status_(given), given_(given) {
    if (the_dialler == nullptr) return;
    sweep_freed();
    comm_ = find_communicator(*the_dialler, comm);
    since_ = start_of_wait(*the_dialler);
  }
  [[nodiscard]] MPI_Status* status() noexcept {
    return the_dialler == nullptr ? given_ : status_.get();
  }
  // What MPI has returned.
  int end(int result) {
    if (the_dialler != nullptr && took_message(result))
      the_dialler->end_receive(
          the_dialler->receive(comm_, status_.get()->MPI_SOURCE, status_.get()->MPI_TAG, since_));
    return result;
  }

 private:
  status_place status_;
  MPI_Status* given_;
  const communicator* comm_ = nullptr;
  ticks since_ = 0;
};

// Notes a request that MPI has begun, unless it has returned an error.
inline int note_request(int result, const MPI_Request* handle, const request& what) {
  if (the_dialler == nullptr || result != MPI_SUCCESS || *handle == MPI_REQUEST_NULL) return result;
  const auto guard = the_dialler->lock();
  the_dialler->requests().put(key_of(*handle), what);
  return result;
}
inline int note_receive(int result, const MPI_Request* handle, MPI_Comm comm, int from,
                        bool persistent = false) {
  if (the_dialler == nullptr || (from == MPI_PROC_NULL && !persistent)) return result;
  request one;
  one.persistent = persistent;
  one.active = !persistent;
  one.comm = find_communicator(*the_dialler, comm);
  return note_request(result, handle, one);
}

}  // namespace am::detail::mpidial

// How requests end: what the wrappers of MPI_Wait, MPI_Test and their kin have in common.
#pragma once

#include <mpidial/calls/receiving.hpp>

namespace am::detail::mpidial {

enum class request_state { absent, pending, over };  // absent: null, or persistent and not started

// How far a request is, without ending it: over, when MPI has ended it and it is due.
request_state look_at(MPI_Request handle, ticks waiting_since);

// A request that is about to be ended leaves the table; a persistent one is inactive there.
// False: nothing of it is dialled.
bool take_request(MPI_Request handle, request& out);
void put_back(MPI_Request handle, const request& one);

// MPI has ended it with that status: finds its stamp.
void find_arrival(request& one, const MPI_Status& status, ticks waiting_since);
// And what it costs then: the wait until it is due, and the overhead.
void finish(const request& one);

// Ends a request that is over, or waits until it is.
int end_request(MPI_Request* handle, MPI_Status* status);

// Receives whose requests the program has freed: sweep_freed takes their stamps.
void free_later(MPI_Request handle, const request& one);

}  // namespace am::detail::mpidial

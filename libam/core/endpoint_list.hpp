// The endpoints of this process. In a forked child all are closed. One that has left stays in
// memory, so that a late call returns usage(left) and touches nothing else.
#pragma once

#include <libam/core/observers.hpp>

#include <memory>

namespace am::detail::core {

class endpoint;

// True: no other endpoint is open.
bool add_endpoint(endpoint& joined);

// It has left, or has failed to join.
void remove_endpoint(endpoint& closed) noexcept;

// Of the traced endpoint that the calling thread owns; if there is none, nothing.
observers observers_of_this_thread() noexcept;
// The calling thread owns this endpoint, and its trace if it has one, from now on.
void own_trace(const endpoint& of);
void disown_trace(const endpoint& of) noexcept;

// Keeps one that has left in memory.
void keep_closed_endpoint(std::unique_ptr<endpoint> closed);

}  // namespace am::detail::core

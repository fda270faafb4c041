// The endpoints of this process. In a forked child all are closed. One that has left stays in
// memory, so that a late call returns usage(left) and touches nothing else.
#pragma once

#include <libam/dilate/computation.hpp>
#include <libam/trace/writer.hpp>

#include <memory>

namespace am::detail::core {

class endpoint;

// True: no other endpoint is open.
bool add_endpoint(endpoint& joined);

// It has left, or has failed to join.
void remove_endpoint(endpoint& closed) noexcept;

struct thread_trace {
  trace::writer* to = nullptr;
  dilate::computation* computation = nullptr;  // null: AM_DILATE is not set

  // What was computed until now is stretched before that is noted.
  void note_computed() const noexcept {
    if (to != nullptr && computation != nullptr)
      to->add_computed(static_cast<std::uint64_t>(computation->total()));
  }
};
// Of the traced endpoint that the calling thread owns; if there is none, `to` is null.
thread_trace trace_of_this_thread() noexcept;
// The calling thread owns this endpoint, and its trace if it has one, from now on.
void own_trace(const endpoint& of);
void disown_trace(const endpoint& of) noexcept;

// Keeps one that has left in memory.
void keep_closed_endpoint(std::unique_ptr<endpoint> closed);

}  // namespace am::detail::core

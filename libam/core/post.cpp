// Work handed in from other threads and from handlers.
#include <libam/base/error.hpp>
#include <libam/core/endpoint.hpp>

#include <utility>

namespace am::detail::core {

// From any thread: touches nothing but the box.
am_status endpoint::post(void (*fn)(void* arg), void* arg) {
  if (fn == nullptr) return base::fail(AM_ARGUMENT_ADDRESS, "post of a null function");
  switch (const am_status status = posts_.put({fn, arg})) {
    case AM_AGAIN_QUEUE:
      return base::fail(status, "post: {} functions wait already; the owner has to poll",
                        post_box::places);
    case AM_USAGE_LEFT:
      return base::fail(status, "post: this endpoint has left its job, or is leaving");
    case AM_USAGE_FORKED:
      return base::fail(status,
                        "post: this endpoint belongs to the parent process; a forked child has "
                        "none");
    default: return status;
  }
}

// One function, so that one which throws in C++ ends the call that ran it, and so that posts keep
// no messages waiting. True: one has run.
bool endpoint::run_posted() {
  posted next{};
  if (!posts_.take(next)) return false;
  const inside_call here(inside_);
  next.fn(next.arg);
  return true;
}

}  // namespace am::detail::core

// Functions posted by other threads and by handlers.
#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/core/progress.hpp>

#include <utility>

namespace am::detail::core {

// From any thread: touches nothing but the queue.
am_status progress::post(void (*fn)(void* arg), void* arg) {
  if (fn == nullptr) return base::fail(AM_ARGUMENT_ADDRESS, "post of a null function");
  switch (const am_status status = posts_.put({fn, arg})) {
    case AM_AGAIN_QUEUE:
      return base::fail(status, "post: {} functions are waiting already; the owner has to poll",
                        post_queue::capacity);
    case AM_USAGE_LEFT:
      return base::fail(status, "post: this endpoint has left its job, or is leaving");
    case AM_USAGE_FORKED:
      return base::fail(status,
                        "post: this endpoint belongs to the parent process; a forked child has "
                        "none");
    default: return status;
  }
}

bool progress::run_posted() {
  posted_function next{};
  if (!posts_.take(next)) return false;
  const nesting_scope here(posts_held_);
  const program_scope here_computes(current_wait());
  next.fn(next.arg);
  return true;
}

void progress::leave() noexcept {
  posts_.close(AM_USAGE_LEFT);
  if (const unsigned left = posts_.discard(); left != 0)
    base::log(base::log_level::warn, "{} posted functions have not run", left);
  sleeper_ = {};
}

}  // namespace am::detail::core

// Who may call: the owner's thread, outside handlers, while the endpoint is in its job.
#include <libam/base/error.hpp>
#include <libam/core/endpoint.hpp>

namespace am::detail::core {

am_status endpoint::refuse(const char* call) const {
  switch (state_) {
    case state::left:
      return base::fail(AM_USAGE_LEFT, "{}: this endpoint has left its job; join again", call);
    case state::forked:
      return base::fail(AM_USAGE_FORKED,
                        "{}: this endpoint belongs to the parent process; a forked child has none",
                        call);
    case state::open: break;
  }
  if (owner_ != this_thread())
    return base::fail(AM_USAGE_OTHER_THREAD,
                      "{}: this endpoint belongs to another thread; adopt it while that thread is "
                      "outside every call",
                      call);
  return base::fail(
      AM_USAGE_IN_HANDLER,
      "{} inside handler {}: a handler may only reply; set a flag and act on it after "
      "poll or wait",
      call, table_[running_ < count_ ? running_ : count_].label);
}

am_status endpoint::adopt() {
  if (state_ != state::open) return refuse("adopt");
  if (gate_ == nullptr)
    return base::fail(AM_USAGE_IN_HANDLER, "an endpoint cannot change hands inside a call");
  owner_ = gate_ = this_thread();
  return AM_OK;
}

void endpoint::forked() noexcept {
  hide(shown_);
  gate_ = owner_ = nullptr;
  answered_ = serial_;  // a handler that is running cannot reply in the parent's place
  state_ = state::forked;
  posts_.forked();
}

}  // namespace am::detail::core

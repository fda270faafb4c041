// Requests that handlers make: kept as calls that wait, and sent where this rank polls or looks.
#include <libam/base/error.hpp>
#include <libam/core/endpoint.hpp>
#include <libam/core/handlers.hpp>

namespace am::detail::core {

am_status endpoint::later(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) {
  const bool is_owners = state_ == state::open && owner_ == this_thread() && !leaves_;
  if (!is_owners || to >= ranks_ || handler == nullptr || handler->id >= count_) [[unlikely]]
    return refuse_later(to, handler);
  if (is_dead(to)) [[unlikely]]
    return refuse_dead(to);
  calls& pending = bulk_.pending;
  if (pending.later() == calls::most_later) [[unlikely]]
    return base::fail(AM_AGAIN_QUEUE, "later: {} requests wait already; this rank has to poll",
                      calls::most_later);
  call* one = nullptr;
  if (const am_status status = new_call(call::kind::request, to, one); status != AM_OK)
    return status;
  one->then = {to, handler->id, {w0, w1, w2, w3}, nullptr, 0, AM_OK};
  pending.set_waiting(*one);
  bulk_.looks_to_pass = 0;
  booked_at_ = polls_;  // it has not been tried, so no sign of the transport follows
  return AM_OK;
}

am_status endpoint::refuse_later(am_rank to, const am_handler* handler) const {
  if (state_ != state::open || owner_ != this_thread()) return refuse("later");
  if (leaves_)
    return base::fail(AM_USAGE_LEFT,
                      "later: this endpoint is leaving its job: others may have left");
  if (to >= ranks_)
    return base::fail(AM_ARGUMENT_RANK, "later to rank {}: this job has ranks 0 to {}", to,
                      ranks_ - 1);
  return refuse_handler("later", handler);
}

am_status endpoint::begin_request(call& one) {
  const am_rank to = one.then.peer;
  if (const am_status status = credit_now(to); status != AM_OK) return status;
  const completion it = one.then;
  bulk_.pending.remove(one);
  seam::port& port = *ports_[to];
  port.credits.take();
  port.send(it.handler, it.words[0], it.words[1], it.words[2], it.words[3]);
  return AM_OK;
}

}  // namespace am::detail::core

// Requests that handlers make: kept as calls that wait, and sent where this rank polls or looks.
#include <libam/base/error.hpp>
#include <libam/core/requests.hpp>

namespace am::detail::core {

am_status requests::later(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) {
  if (!dispatcher_.is_owners() || leaves_ || !peers_.has(to) || !dispatcher_.knows(handler))
      [[unlikely]]
    return refuse_later(to, handler);
  if (peers_.is_dead(to)) [[unlikely]]
    return peers_.refuse_dead(to);
  calls& pending = bulk_.made.pending();
  if (pending.later() == calls::most_later) [[unlikely]]
    return base::fail(AM_AGAIN_QUEUE, "later: {} requests wait already; this rank has to poll",
                      calls::most_later);
  call* one = nullptr;
  if (const am_status status = bulk_.made.add(call::kind::request, to, one); status != AM_OK)
    return status;
  one->then.handler = handler->id;
  one->then.words[0] = w0;
  one->then.words[1] = w1;
  one->then.words[2] = w2;
  one->then.words[3] = w3;
  one->then.data = nullptr;
  one->then.bytes = 0;
  pending.set_waiting(*one);
  bulk_.try_in_next_look();
  return AM_OK;
}

am_status requests::refuse_later(am_rank to, const am_handler* handler) const {
  if (!dispatcher_.is_owners()) return dispatcher_.refuse("later");
  if (leaves_)
    return base::fail(AM_USAGE_LEFT,
                      "later: this endpoint is leaving its job: others may have left");
  if (!peers_.has(to))
    return base::fail(AM_ARGUMENT_RANK, "later to rank {}: this job has ranks 0 to {}", to,
                      peers_.ranks() - 1);
  return refuse_handler("later", handler);
}

}  // namespace am::detail::core

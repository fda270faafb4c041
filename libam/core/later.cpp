// Requests that handlers make: kept as calls that wait, and sent when this rank polls.
#include <libam/base/error.hpp>
#include <libam/core/requests.hpp>

namespace am::detail::core {

am_status requests::later(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) {
  if (!dispatcher_.is_owner_thread() || is_leaving_ || !peers_.has(to) ||
      !dispatcher_.is_numbered(handler)) [[unlikely]]
    return refuse_later(to, handler);
  if (peers_.is_dead(to)) [[unlikely]]
    return peers_.refuse_dead(to);
  pending_calls& pending = bulk_.caller.pending();
  if (pending.later_count() == pending_calls::max_later_requests) [[unlikely]]
    return base::fail(AM_AGAIN_QUEUE,
                      "later: {} requests are waiting already; this rank has to poll",
                      pending_calls::max_later_requests);
  pending_call* one = nullptr;
  if (const am_status status = bulk_.caller.add(pending_call::kind::request, to, one);
      status != AM_OK)
    return status;
  one->completion.handler = handler->id;
  one->completion.words[0] = w0;
  one->completion.words[1] = w1;
  one->completion.words[2] = w2;
  one->completion.words[3] = w3;
  one->completion.data = nullptr;
  one->completion.bytes = 0;
  pending.set_waiting(*one);
  bulk_.try_at_next_poll();
  return AM_OK;
}

am_status requests::refuse_later(am_rank to, const am_handler* handler) const {
  if (!dispatcher_.is_owner_thread()) return dispatcher_.refuse("later");
  if (is_leaving_)
    return base::fail(AM_USAGE_LEFT,
                      "later: this endpoint is leaving its job: others may have left");
  if (!peers_.has(to))
    return base::fail(AM_ARGUMENT_RANK, "later to rank {}: this job has ranks 0 to {}", to,
                      peers_.ranks() - 1);
  return refuse_handler("later", handler);
}

}  // namespace am::detail::core

// A call on bulk data after it has returned: it begins, perhaps after others to the same rank, goes
// on, and ends.
#include <libam/base/error.hpp>
#include <libam/core/bulk_caller.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::core {

am_status no_memory_for_call(am_rank peer) {
  return base::fail(AM_RESOURCE_MEMORY, "out of memory for a call on bulk data of rank {}", peer);
}

am_status bulk_caller::begin_or_queue(pending_call& one) {
  if (pending_.first_waiting(one.completion.peer) == nullptr) {
    const am_status status = begin(one);
    if (status == AM_OK) return AM_OK;
    if (am_status_reason(status) != AM_REASON_AGAIN) {
      pending_.remove(one);
      return status;
    }
  }
  pending_.set_waiting(one);
  return AM_OK;
}

// Again: it has to wait for credits, for room, for a route, or for the end of other gets.
am_status bulk_caller::begin(pending_call& one) {
  if (peers_.is_dead(one.completion.peer)) return peers_.refuse_dead(one.completion.peer);
  switch (one.what) {
    case pending_call::kind::store: return begin_store(one);
    case pending_call::kind::get: return begin_get(one);
    case pending_call::kind::atomic: return begin_atomic(one);
    case pending_call::kind::request: return begin_request(one);
  }
  return AM_OK;
}

void bulk_caller::begin_waiting() noexcept {
  const std::vector<am_rank>& ranks = pending_.waiting_ranks();
  for (std::size_t i = 0; i < ranks.size();) {
    const am_rank to = ranks[i];
    pending_call* one;
    while ((one = pending_.first_waiting(to)) != nullptr && !sender_.is_deferred(to)) {
      const am_status status = begin(*one);
      if (am_status_reason(status) == AM_REASON_AGAIN) break;
      if (status != AM_OK) end(*one, status, false);
    }
    if (one != nullptr) ++i;  // otherwise ranks[i] is another rank now
  }
}

void bulk_caller::end(pending_call& one, am_status reason, bool unknown) noexcept {
  const bool has_end = one.what != pending_call::kind::request ||
                       (reason != AM_OK && !dispatcher_.is_of_library(one.completion.handler));
  if (one.what != pending_call::kind::store && has_end) {
    one.completion.reason = reason;
    one.completion.unknown = unknown;
    completions_.push(one.completion);
  } else if (one.what == pending_call::kind::store) {
    if (reason != AM_OK) {
      completion_entry back{one.completion.peer, one.handler, {}, nullptr, 0, reason, unknown};
      std::copy_n(one.words, AM_WORDS, back.words);
      completions_.push(back);
    }
    if (one.has_completion) completions_.push(one.completion);
  }
  gets_for_later -= std::exchange(one.for_later, false) ? 1 : 0;
  pending_.remove(one);
}

void bulk_caller::on_transfer_end(seam::transfer& moved) noexcept {
  auto& one = static_cast<pending_call&>(moved);
  if (one.what == pending_call::kind::store && moved.status != seam::transfer_status::done)
    sender_.put_back_held_credit(one.completion.peer);
  if (one.awaited) return;
  switch (moved.status) {
    case seam::transfer_status::done: return end(one, AM_OK, false);
    case seam::transfer_status::unsupported: return on_route_lost(one);
    default: return end(one, AM_ARGUMENT_ADDRESS, false);
  }
}

// Its bytes go in messages, unless the rank is dead.
void bulk_caller::on_route_lost(pending_call& one) noexcept {
  if (!peers_.is_dead(one.completion.peer)) return pending_.set_waiting(one);
  end(one, peers_.reason(one.completion.peer), false);
}

// Transfers under way end by on_transfer_end().
void bulk_caller::fail_calls(am_rank rank) noexcept {
  if (pending_.count(rank) == 0) return;
  pending_.clear_queue(rank);
  pending_.each(rank, [&](pending_call& one) {
    if (one.awaited || one.current_stage == pending_call::stage::under_way) return;
    const bool may_have_run = one.what == pending_call::kind::atomic &&
                              one.current_stage == pending_call::stage::requested;
    end(one, peers_.reason(rank), may_have_run);
  });
}

void bulk_caller::fail_requested_atomic(std::size_t number, am_rank at, am_status reason,
                                        bool unknown) noexcept {
  pending_call* const requested = pending_.find(number);
  const bool is_it = requested != nullptr && requested->what == pending_call::kind::atomic &&
                     requested->current_stage == pending_call::stage::requested &&
                     requested->completion.peer == at;
  if (is_it) end(*requested, reason, unknown);
}

}  // namespace am::detail::core

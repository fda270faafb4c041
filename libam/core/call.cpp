// The life of a call on bulk data after it has returned: it begins, perhaps after others to the
// same rank, goes on, and ends.
#include <libam/base/error.hpp>
#include <libam/core/bulk_caller.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::core {

am_status no_memory_for_call(am_rank peer) {
  return base::fail(AM_RESOURCE_MEMORY, "out of memory for a call on bulk data of rank {}", peer);
}

am_status bulk_caller::begin_in_turn(call& one) {
  if (pending_.first_waiting(one.then.peer) == nullptr) {
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

// Again: it has to wait for credits, for room, for a way, or for answers to others.
am_status bulk_caller::begin(call& one) {
  if (peers_.is_dead(one.then.peer)) return peers_.refuse_dead(one.then.peer);
  switch (one.what) {
    case call::kind::store: return begin_store(one);
    case call::kind::get: return begin_get(one);
    case call::kind::atomic: return begin_atomic(one);
    case call::kind::request: return begin_request(one);
  }
  return AM_OK;
}

void bulk_caller::begin_waiting() noexcept {
  const std::vector<am_rank>& ranks = pending_.waited_for();
  for (std::size_t i = 0; i < ranks.size();) {
    const am_rank to = ranks[i];
    call* one;
    while ((one = pending_.first_waiting(to)) != nullptr && !sender_.is_put_off(to)) {
      const am_status status = begin(*one);
      if (am_status_reason(status) == AM_REASON_AGAIN) break;
      if (status != AM_OK) end(*one, status, false);
    }
    if (one != nullptr) ++i;  // otherwise another rank stands in its place
  }
}

void bulk_caller::end(call& one, am_status reason, bool unknown) noexcept {
  const bool has_end = one.what != call::kind::request ||
                       (reason != AM_OK && !dispatcher_.is_of_library(one.then.handler));
  if (one.what != call::kind::store && has_end) {
    one.then.reason = reason;
    one.then.unknown = unknown;
    completions_.push(one.then);
  } else if (one.what == call::kind::store) {
    if (reason != AM_OK) {
      completion back{one.then.peer, one.handler, {}, nullptr, 0, reason, unknown};
      std::copy_n(one.words, AM_WORDS, back.words);
      completions_.push(back);
    }
    if (one.has_done) completions_.push(one.then);
  }
  gets_for_later -= std::exchange(one.for_later, false) ? 1 : 0;
  pending_.remove(one);
}

void bulk_caller::transferred(seam::transfer& moved) noexcept {
  auto& one = static_cast<call&>(moved);
  if (one.what == call::kind::store && moved.at != seam::reach::done)
    sender_.put_back_held_credit(one.then.peer);
  if (one.held) return;
  switch (moved.at) {
    case seam::reach::done: return end(one, AM_OK, false);
    case seam::reach::no_way: return lose_way(one);
    default: return end(one, AM_ARGUMENT_ADDRESS, false);
  }
}

// Its bytes go in messages, unless nothing goes any more.
void bulk_caller::lose_way(call& one) noexcept {
  if (!peers_.is_dead(one.then.peer)) return pending_.set_waiting(one);
  end(one, peers_.reason(one.then.peer), false);
}

// Transfers under way end by themselves.
void bulk_caller::lose(am_rank rank) noexcept {
  if (pending_.count(rank) == 0) return;
  pending_.let_none_wait(rank);
  pending_.each(rank, [&](call& one) {
    if (one.held || one.in == call::stage::under_way) return;
    const bool may_have_run = one.what == call::kind::atomic && one.in == call::stage::asked;
    end(one, peers_.reason(rank), may_have_run);
  });
}

void bulk_caller::lose_asked_atomic(std::size_t number, am_rank at, am_status reason,
                                    bool unknown) noexcept {
  call* const asked = pending_.find(number);
  const bool is_it = asked != nullptr && asked->what == call::kind::atomic &&
                     asked->in == call::stage::asked && asked->then.peer == at;
  if (is_it) end(*asked, reason, unknown);
}

}  // namespace am::detail::core

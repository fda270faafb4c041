// The life of a call on bulk data after it has returned: it begins, perhaps after others to the
// same rank, goes on, and ends.
#include <libam/base/error.hpp>
#include <libam/core/endpoint.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace am::detail::core {

am_status endpoint::new_call(call::kind what, am_rank peer, call*& out) try {
  out = &bulk_.pending.add(what, peer);
  return AM_OK;
} catch (const std::bad_alloc&) {
  return base::fail(AM_RESOURCE_MEMORY, "out of memory for a call on bulk data of rank {}", peer);
}

// Now, or when those before it have begun. An error is the caller's, and there was no call.
am_status endpoint::begin_in_turn(call& one) {
  if (bulk_.pending.first_waiting(one.then.peer) == nullptr) {
    const am_status status = begin(one);
    if (status == AM_OK) return AM_OK;
    if (am_status_reason(status) != AM_REASON_AGAIN) {
      bulk_.pending.remove(one);
      return status;
    }
  }
  bulk_.pending.set_waiting(one);
  return AM_OK;
}

// Never waits. Again: it has to wait for credits, for room, for a way, or for answers to others.
am_status endpoint::begin(call& one) {
  if (is_dead(one.then.peer)) return refuse_dead(one.then.peer);
  switch (one.what) {
    case call::kind::store: return begin_store(one);
    case call::kind::get: return begin_get(one);
    case call::kind::atomic: return begin_atomic(one);
    case call::kind::request: return begin_request(one);
  }
  return AM_OK;
}

// It may end inside the port's call, and then is not ended behind its beginner's back.
seam::reach endpoint::begin_transfer(call& one, seam::reach (seam::port::*how)(seam::transfer&)) {
  const bool held = std::exchange(one.held, true);
  one.at = seam::reach::under_way;
  const seam::reach begun = (ports_[one.then.peer]->*how)(one);
  if (begun != seam::reach::under_way) one.at = begun;
  if (one.at == seam::reach::under_way) bulk_.pending.set_under_way(one);
  one.held = held;
  return begun;
}

// Calls to a rank begin in their order, for as long as there are credits and room.
void endpoint::begin_waiting() noexcept {
  const std::vector<am_rank>& ranks = bulk_.pending.waited_for();
  for (std::size_t i = 0; i < ranks.size();) {
    const am_rank to = ranks[i];
    call* one;
    while ((one = bulk_.pending.first_waiting(to)) != nullptr && !is_put_off(to)) {
      const am_status status = begin(*one);
      if (am_status_reason(status) == AM_REASON_AGAIN) break;
      if (status != AM_OK) end_call(*one, status, false);
    }
    if (one != nullptr) ++i;  // otherwise another rank stands in its place
  }
}

// A credit that is free now.
am_status endpoint::credit_now(am_rank to) {
  if (ports_[to]->credits.free() != 0) return AM_OK;
  const am_status status = find_credit(to, false);
  if (status != AM_OK) (void)try_later(to);
  return status;
}

// Until the next round, with all that waits for that rank: a try in vain is followed by a sign of
// the transport, or by booked_at_.
am_status endpoint::try_later(am_rank to) noexcept {
  bulk_.put_off[to] = bulk_.rounds;
  return AM_AGAIN_PAYLOAD;
}

void endpoint::end_call(call& one, am_status reason, bool unknown) noexcept {
  const bool has_end =
      one.what != call::kind::request || (reason != AM_OK && !is_of_library(one.then.handler));
  if (one.what != call::kind::store && has_end) {
    one.then.reason = reason;
    one.then.unknown = unknown;
    bulk_.completions.push_back(one.then);
  } else if (one.what == call::kind::store) {
    if (reason != AM_OK) {
      completion back{one.then.peer, one.handler, {}, nullptr, 0, reason, unknown};
      std::copy_n(one.words, AM_WORDS, back.words);
      bulk_.completions.push_back(back);
    }
    if (one.has_done) bulk_.completions.push_back(one.then);
  }
  bulk_.pending.remove(one);
}

// Inside a transport's call: no handler runs here.
void endpoint::transferred(seam::inbox& inbox, seam::transfer& moved) noexcept {
  if (moved.number == of_an_answer) return;
  auto& self = static_cast<endpoint&>(inbox);
  auto& one = static_cast<call&>(moved);
  if (one.held) return;
  switch (moved.at) {
    case seam::reach::done: return self.end_call(one, AM_OK, false);
    case seam::reach::no_way: return self.lose_way(one);
    default: return self.end_call(one, AM_ARGUMENT_ADDRESS, false);
  }
}

// Its bytes go in messages, unless nothing goes any more.
void endpoint::lose_way(call& one) noexcept {
  if (!is_dead(one.then.peer)) return bulk_.pending.set_waiting(one);
  end_call(one, failure_.reason(one.then.peer), false);
}

// `rank` is dead, and its port has told of every request. Transfers under way end by themselves.
void endpoint::lose_calls(am_rank rank) noexcept {
  calls& pending = bulk_.pending;
  if (pending.count(rank) == 0) return;
  pending.let_none_wait(rank);
  pending.each(rank, [&](call& one) {
    if (one.held || one.in == call::stage::under_way) return;
    const bool may_have_run = one.what == call::kind::atomic && one.in == call::stage::asked;
    end_call(one, failure_.reason(rank), may_have_run);
  });
}

}  // namespace am::detail::core

// A round does what handlers may not do and what could not be done before: it fetches matched
// offers, pays what is owed, sends what had to wait, and looks for ranks that have died.
#pragma once

#include <am/detail/messages_send.hpp>

#include <algorithm>

namespace am::detail::messages {

inline void fetch_matched(box& at) {
  while (at.first_fetch != nullptr) {
    operation& one = *at.first_fetch;
    at.first_fetch = one.next;
    fetch(one);
  }
}

inline void pay_debts(box& at) {
  std::erase_if(at.debts, [&](const debt& due) {
    pair& with = at.pairs[due.to];
    const std::uint64_t owed = take_owed(with);
    const answer of{at.context, at.generation, due.how, due.is_of_offer};
    const am_status sent = send<settle_by_request, true>(at.ep, due.to, of, due.sender, owed);
    if (am_status_reason(sent) != AM_REASON_AGAIN) return true;  // a dead rank wants no answer
    with.owed += owed;
    return false;
  });
}

inline void send_backlog(box& at) {
  std::erase_if(at.backlog, [&](rank_id to) {
    pair& with = at.pairs[to];
    while (posted* const first = with.waiting.first()) {
      auto& one = static_cast<operation&>(*first);
      with.waiting.remove(one);
      if (start_send(one, to) != am_status{}) {
        with.waiting.add_front(one);
        return false;
      }
    }
    return true;
  });
}
/// Can the next round do more? Of sends that the limit of offers holds up the answer to an offer
/// says so.
[[nodiscard]] inline bool has_more(const box& at) noexcept {
  return !at.debts.empty() || std::ranges::any_of(at.backlog, [&](rank_id to) {
    return at.pairs[to].offers < at.most.offers;
  });
}

/// Of all mailboxes of the endpoint.
inline void make_round(office& all) {
  if (!all.has_work) [[likely]]
    return;
  all.has_work = false;
  for (box* const at : all.boxes) {
    if (at == nullptr) continue;
    fetch_matched(*at);
    pay_debts(*at);
    send_backlog(*at);
    all.has_work |= has_more(*at);
  }
}
/// Outside of waits: what is left is for a posted function.
inline void make_last_round(office& all) {
  make_round(all);
  if (all.has_work) note_work(all);
}
inline void run_posted_round(void* at) noexcept {
  auto& all = *static_cast<office*>(at);
  all.is_posted = false;
  make_last_round(all);
}

// ---- deaths -------------------------------------------------------------------------------------

/// Ends all that only this rank could end. A receive from any source waits for the others.
inline void retire_peer(box& at, rank_id dead) {
  pair& with = at.pairs[dead];
  with.is_dead = true;
  if (at.at.thread != nullptr) at.at.thread->note_event();
  for (ordered_list<posted>* const sends : {&with.waiting, &with.open}) {
    while (posted* const one = sends->first()) {
      sends->remove(*one);
      end_operation(static_cast<operation&>(*one), outcome::dead);
    }
  }
  std::erase(at.backlog, dead);
  at.match.withdraw_from(dead, [&](posted& one) {
    auto& to = static_cast<operation&>(one);
    to.result = {dead, one.with, 0, outcome::dead};
    end_operation(to, outcome::dead);
  });
  at.match.each_kept([&](unexpected& one) {
    auto& kept = static_cast<kept_message&>(one);
    if (one.source == dead && kept.is_offer) discard(at, kept);
  });
}
inline void find_deaths(box& at) {
  for (const rank_id member : at.members)
    if (!at.pairs[member].is_dead && am_ep_fence(at.ep, member) != am_status{})
      retire_peer(at, member);
}
/// In each round of a wait, so it compares a count first.
inline void find_deaths(office& all) {
  const rank_id deaths = am_ep_deaths(all.ep);
  if (deaths == all.deaths_known) [[likely]]
    return;
  all.deaths_known = deaths;
  for (box* const at : all.boxes)
    if (at != nullptr) find_deaths(*at);
}

// ---- waiting ------------------------------------------------------------------------------------

/// Rounds and polls until done(). What a posted function throws meanwhile leaves a later call: the
/// memory for which this one waits may be on the stack of its caller.
template <class Done>
[[nodiscard]] am_status try_wait_until(box& at, Done&& done) noexcept {
  struct waiting {
    box& at;
    std::remove_reference_t<Done>& done;
    static int round(void* self) noexcept {
      auto& [at, done] = *static_cast<waiting*>(self);
      if (done()) return 1;
      make_round(at.at);
      find_deaths(at.at);
      return done() ? 1 : 0;
    }
  };
  waiting w{at, done};
  ++at.at.waits;
  const am_status status = am_ep_wait(at.ep, &waiting::round, &w);
  --at.at.waits;
  if (at.at.has_work) note_work(at.at);
  return status;
}
template <class Done>
void wait_until(box& at, Done&& done) {
  if (!done()) check(try_wait_until(at, done));
}
/// One poll, with the rounds before and behind it.
inline void poll_once(box& at) {
  make_round(at.at);
  check(am_ep_poll(at.ep, 0, nullptr));
  make_last_round(at.at);
  find_deaths(at.at);
}

// ---- the end of a mailbox -----------------------------------------------------------------------

/// Offers that no receive has taken are answered, receives without a message cancelled; what has
/// begun otherwise is waited for, except while an exception unwinds. The box lives as long as a
/// request refers to it.
inline void close_box(box& at, bool unwinds) noexcept {
  at.is_closing = true;
  at.match.withdraw_all([](posted& one) {
    auto& to = static_cast<operation&>(one);
    to.result = {to.from, to.with, 0, outcome::cancelled};
    end_operation(to, outcome::cancelled);
  });
  at.match.each_kept([&](unexpected& one) {
    auto& kept = static_cast<kept_message&>(one);
    if (kept.sender != 0) owe(at, one.source, kept.sender, outcome::closed, kept.is_offer);
    discard(at, kept);
  });
  if (!unwinds) (void)try_wait_until(at, [&] { return at.unended == 0 && at.debts.empty(); });
  at.at.remove(at);
  at.is_closed = true;
  if (at.used == 0) delete &at;
}

}  // namespace am::detail::messages

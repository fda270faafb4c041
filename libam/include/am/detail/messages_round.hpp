// A round does what handlers may not do and what could not be done before: it fetches matched
// offers, pays what is matched, sends what had to wait, and looks for ranks that have died.
#pragma once

#include <am/detail/messages_send.hpp>

#include <algorithm>

namespace am::detail::messages {

inline void find_deaths(mailbox_registry& all);

/// Those whose get has failed end: only here may this rank find out whether the other has died.
inline void fetch_matched(mailbox_state& at) {
  while (at.first_fetch != nullptr) {
    operation& one = *at.first_fetch;
    at.first_fetch = one.next;
    if (!one.has_failed) {
      fetch(one);
    } else {
      find_deaths(at.registry);
      fail_fetch(one, at.is_dead(one.result.source) ? outcome::dead : outcome::failed);
    }
  }
}

inline void send_answers(mailbox_state& at) {
  std::erase_if(at.unsent_answers, [&](const late_answer& one) { return send_answer(at, one); });
}

inline void send_backlog(mailbox_state& at) {
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
[[nodiscard]] inline bool has_more(const mailbox_state& at) noexcept {
  return !at.unsent_answers.empty() || std::ranges::any_of(at.backlog, [&](rank_id to) {
    return at.pairs[to].offers < at.most.offers;
  });
}

/// Of all mailboxes of the endpoint.
inline void make_round(mailbox_registry& all) {
  if (!all.has_work) [[likely]]
    return;
  all.has_work = false;
  for (mailbox_state* const at : all.mailboxes) {
    if (at == nullptr) continue;
    fetch_matched(*at);
    send_answers(*at);
    send_backlog(*at);
    all.has_work |= has_more(*at);
  }
}
/// Outside of waits: what is left is for a posted function.
inline void make_last_round(mailbox_registry& all) {
  make_round(all);
  if (all.has_work) note_work(all);
}
inline void run_posted_round(void* at) noexcept {
  auto& all = *static_cast<mailbox_registry*>(at);
  all.is_posted = false;
  make_last_round(all);
}

// ---- deaths -------------------------------------------------------------------------------------

/// Ends all that only this rank could end. A receive from any source waits for the others.
inline void retire_peer(mailbox_state& at, rank_id dead) {
  pair& with = at.pairs[dead];
  with.is_dead = true;
  if (at.registry.thread != nullptr) at.registry.thread->note_event();
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
inline void find_deaths(mailbox_state& at) {
  for (const rank_id member : at.members)
    if (!at.pairs[member].is_dead && am_ep_fence(at.ep, member) != am_status{})
      retire_peer(at, member);
}
/// In each round of a wait, so it compares a count first.
inline void find_deaths(mailbox_registry& all) {
  const rank_id deaths = am_ep_deaths(all.ep);
  if (deaths == all.deaths_known) [[likely]]
    return;
  all.deaths_known = deaths;
  for (mailbox_state* const at : all.mailboxes)
    if (at != nullptr) find_deaths(*at);
}

// ---- waiting ------------------------------------------------------------------------------------

/// Rounds and polls until done(). What a posted function throws meanwhile leaves a later call: the
/// memory for which this one waits may be on the stack of its caller.
template <class Done>
[[nodiscard]] am_status try_wait_until(mailbox_state& at, Done&& done) noexcept {
  struct waiting {
    mailbox_state& at;
    std::remove_reference_t<Done>& done;
    static int round(void* self) noexcept {
      auto& [at, done] = *static_cast<waiting*>(self);
      if (done()) return 1;
      make_round(at.registry);
      find_deaths(at.registry);
      return done() ? 1 : 0;
    }
  };
  waiting w{at, done};
  ++at.registry.waits;
  const am_status status = am_ep_wait(at.ep, &waiting::round, &w);
  --at.registry.waits;
  if (at.registry.has_work) note_work(at.registry);
  return status;
}
template <class Done>
void wait_until(mailbox_state& at, Done&& done) {
  if (!done()) check(try_wait_until(at, done));
}
/// One poll, with the rounds before and behind it.
inline void poll_once(mailbox_state& at) {
  make_round(at.registry);
  check(am_ep_poll(at.ep, 0, nullptr));
  make_last_round(at.registry);
  find_deaths(at.registry);
}

// ---- the end of a mailbox -----------------------------------------------------------------------

/// Offers that no receive has taken are answered, receives without a message cancelled; what has
/// begun otherwise is waited for, except while an exception unwinds. The mailbox_state lives as
/// long as a request refers to it.
inline void close_mailbox(mailbox_state& at, bool unwinds) noexcept {
  at.is_closing = true;
  at.match.withdraw_all([](posted& one) {
    auto& to = static_cast<operation&>(one);
    to.result = {to.from, to.with, 0, outcome::cancelled};
    end_operation(to, outcome::cancelled);
  });
  at.match.each_kept([&](unexpected& one) {
    auto& kept = static_cast<kept_message&>(one);
    if (kept.sender != 0)
      answer_later(at, {one.source, kept.sender, outcome::closed, kept.is_offer});
    discard(at, kept);
  });
  if (!unwinds)
    (void)try_wait_until(at, [&] { return at.unended == 0 && at.unsent_answers.empty(); });
  at.registry.remove(at);
  at.is_closed = true;
  if (at.used == 0) delete &at;
}

}  // namespace am::detail::messages

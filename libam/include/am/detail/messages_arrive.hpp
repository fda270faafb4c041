// What a mailbox does with a message that comes, and with the receive that takes it: the handlers
// of messages, their answers, and the fetch of what was offered.
#pragma once

#include <am/detail/messages_registry.hpp>

#include <cstring>
#include <new>

namespace am::detail::messages {

/// The first word of every message.
struct envelope {
  std::int32_t tag;
  std::uint16_t context;
  std::uint8_t bytes;           // of data in the words behind it
  std::uint8_t is_ready : 1;    // refused if no receive is posted
  std::uint8_t generation : 7;  // of the context
};
static_assert(sizeof(envelope) == sizeof(word));

/// A message in one cache line.
struct small_message {
  envelope of;
  std::array<std::byte, 3 * sizeof(word)> data;
};

/// An answer's first word.
struct answer {
  std::uint16_t context;
  std::uint8_t generation;
  outcome how;
  bool is_of_offer;
};

void answered_by_reply(reply_token t, answer of, std::uint64_t sender, std::uint64_t returned);
void answered_by_request(request_token t, answer of, std::uint64_t sender, std::uint64_t returned);
void end_fetch(reply_token t, void* data, std::size_t bytes, operation* one);
void arrive_small(request_token t, small_message m);
void arrive_payload(request_token t, payload data, envelope of, std::uint64_t sender);
void arrive_offer(request_token t, envelope of, std::uint64_t sender, const std::byte* there,
                  std::size_t bytes);

}  // namespace am::detail::messages

// A mailbox learns of deaths by am_ep_deaths(), and ends what they concern.
#define AM_DETAIL_OF_MESSAGES(handler)                                                \
  template <>                                                                         \
  inline constexpr std::uint32_t am::handler_flags<am::detail::messages::handler> =   \
      AM_HANDLER_OF_LIBRARY;                                                          \
  template <>                                                                         \
  inline constexpr const char* am::detail::own_label<am::detail::messages::handler> = \
      "am::messages"
AM_DETAIL_OF_MESSAGES(answered_by_reply);
AM_DETAIL_OF_MESSAGES(answered_by_request);
AM_DETAIL_OF_MESSAGES(end_fetch);
AM_DETAIL_OF_MESSAGES(arrive_small);
AM_DETAIL_OF_MESSAGES(arrive_payload);
AM_DETAIL_OF_MESSAGES(arrive_offer);
#undef AM_DETAIL_OF_MESSAGES

namespace am::detail::messages {

/// An operation in a message, for its answer; 0: none.
[[nodiscard]] inline std::uint64_t handle_of(const operation* one) noexcept {
  return reinterpret_cast<std::uintptr_t>(one);
}

/// A word without a call.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes == sizeof(word)) [[likely]]
    std::memcpy(to, from, sizeof(word));
  else if (bytes != 0)
    std::memcpy(to, from, bytes);
}

// ---- at the sender ------------------------------------------------------------------------------

[[nodiscard]] inline operation& take_operation(mailbox_state& at) {
  operation& one = at.operations.take();
  ++at.used;
  ++at.unended;
  one.of = &at;
  one.done.store(false, std::memory_order_relaxed);
  one.is_matched = one.is_abandoned = false;
  return one;
}
inline void free_operation(operation& one) noexcept {
  mailbox_state& at = *one.of;
  at.operations.free(one);
  if (--at.used == 0 && at.is_closed) delete &at;
}
inline void end_operation(operation& one, outcome how) noexcept {
  mailbox_state& at = *one.of;
  one.result.how = how;
  --at.unended;
  // SYNC(operation): with the acquire in operation::has_ended.
  one.done.store(true, std::memory_order_release);
  if (one.is_abandoned) return free_operation(one);
  if (at.registry.thread != nullptr) [[unlikely]]
    at.registry.thread->note_event();
}

/// There is something to do in the next round, which a wait of a mailbox makes; where there is
/// none, a posted function. If there is no room for that, the next wait makes it.
inline void note_work(mailbox_registry& all) noexcept {
  all.has_work = true;
  if (all.waits != 0 || all.is_posted) return;
  all.is_posted = am_ep_post(all.ep, all.posted_round, &all) == am_status{};
}

/// `returned`: bytes that the other rank does not keep any more.
inline void take_answer(const token& t, answer of, std::uint64_t sender, std::uint64_t returned) {
  mailbox_state* const at = registry_of(t.endpoint()).find(of.context);
  if (at == nullptr || at->generation != of.generation) return;
  pair& with = at->pairs[t.source()];
  if (with.waiting.first() != nullptr) note_work(at->registry);
  with.unreturned -= std::min(with.unreturned, static_cast<std::size_t>(returned));
  with.is_behind = with.is_behind && returned == 0;
  if (sender == 0 || with.is_dead) return;
  auto& one = *reinterpret_cast<operation*>(static_cast<std::uintptr_t>(sender));
  with.open.remove(one);
  if (of.is_of_offer) --with.offers;
  end_operation(one, of.how);
}
inline void answered_by_reply(reply_token t, answer of, std::uint64_t sender,
                              std::uint64_t returned) {
  take_answer(t, of, sender, returned);
}
inline void answered_by_request(request_token t, answer of, std::uint64_t sender,
                                std::uint64_t returned) {
  take_answer(t, of, sender, returned);
}

// ---- at the receiver ----------------------------------------------------------------------------

[[nodiscard]] inline outcome outcome_of(const operation& to, std::size_t bytes) noexcept {
  if (bytes == to.bytes || to.element == 1) [[likely]]
    return bytes <= to.bytes ? outcome::ok : outcome::truncated;
  if (bytes > to.bytes) return outcome::truncated;
  return bytes % to.element == 0 ? outcome::ok : outcome::mismatched;
}
/// The bytes have come that this receive takes.
inline void receive(operation& to, rank_id source, std::int32_t tag, const std::byte* data,
                    std::size_t bytes) noexcept {
  copy_bytes(to.room, data, std::min(bytes, to.bytes));
  to.result = {source, tag, bytes, outcome::ok};
  end_operation(to, outcome_of(to, bytes));
}

[[nodiscard]] inline std::uint64_t take_matched(pair& with) noexcept {
  return std::exchange(with.matched, 0);
}

/// From a handler: the next round fetches.
inline void fetch_later(operation& one) noexcept {
  mailbox_state& at = *one.of;
  one.next = nullptr;
  (at.first_fetch == nullptr ? at.first_fetch : at.last_fetch->next) = &one;
  at.last_fetch = &one;
  note_work(at.registry);
}

/// Says how a message has ended, and returns the count: a request, which core sends when there is a
/// credit. False: it must be tried again, as too many wait or there is no memory.
[[nodiscard]] inline bool send_answer(mailbox_state& at, const late_answer& one) noexcept {
  pair& with = at.pairs[one.to];
  const answer of{at.context, at.generation, one.how, one.is_of_offer};
  const auto w = pack_for<answered_by_request, 0>(of, one.sender, std::uint64_t{with.matched});
  const am_status status =
      am_ep_later(at.ep, one.to, &entry_of<answered_by_request>::entry, w[0], w[1], w[2], w[3]);
  // A rank that has died wants no answer, and one that leaves its job sends none.
  const am_reason reason = am_status_reason(status);
  const bool is_over =
      status == am_status{} || reason == AM_REASON_PEER || reason == AM_REASON_USAGE;
  if (is_over) with.matched = 0;
  return is_over;
}
inline void answer_later(mailbox_state& at, const late_answer& one) {
  if (send_answer(at, one)) return;
  at.unsent_answers.push_back(one);
  note_work(at.registry);
}

// The reply handler that ends a fetch: the sender gets its buffer back. Null: nothing has come, and
// the next round finds out why.
inline void end_fetch(reply_token, void* data, std::size_t, operation* one) {
  if (data == nullptr) {
    one->has_failed = true;
    return fetch_later(*one);
  }
  answer_later(*one->of, {one->result.source, one->sender, outcome::ok, true});
  end_operation(*one, outcome_of(*one, one->result.bytes));
}

inline void fail_fetch(operation& one, outcome how) {
  if (how == outcome::failed)
    answer_later(*one.of, {one.result.source, one.sender, outcome::failed, true});
  end_operation(one, how);
}
/// Not in a handler. Bytes that do not fit the room are not fetched.
inline void fetch(operation& one) {
  mailbox_state& at = *one.of;
  const std::size_t bytes = std::min(one.result.bytes, one.bytes);
  if (bytes == 0) {
    answer_later(at, {one.result.source, one.sender, outcome::ok, true});
    return end_operation(one, outcome_of(one, one.result.bytes));
  }
  const am_handler* const done = bulk_handler<end_fetch, reply_token>();
  const auto w = pack_for<end_fetch, 2>(&one);
  const am_status status =
      am_ep_get(at.ep, one.result.source, one.there, one.room, bytes, done, w[0], w[1], w[2], w[3]);
  if (status != am_status{})
    fail_fetch(one, am_status_reason(status) == AM_REASON_PEER ? outcome::dead : outcome::failed);
}

inline void match_offer(operation& to, rank_id source, std::int32_t tag, std::size_t bytes,
                        std::uint64_t sender, const std::byte* there) noexcept {
  to.result = {source, tag, bytes, outcome::ok};
  to.sender = sender;
  to.there = there;
  to.has_failed = false;
  to.is_matched = true;
}

inline kept_message& keep(mailbox_state& at, rank_id source, const envelope& of, std::size_t bytes,
                          std::size_t bytes_here) {
  void* const memory = ::operator new(sizeof(kept_message) + bytes_here);
  auto& one = *new (memory) kept_message{};
  one.source = source;
  one.tag = of.tag;
  one.bytes = bytes;
  at.match.keep(one);
  if (at.registry.thread != nullptr) [[unlikely]]
    at.registry.thread->note_event();
  return one;
}
inline void discard(mailbox_state& at, kept_message& one) noexcept {
  at.match.release(one);
  one.~kept_message();
  ::operator delete(&one);
}

/// Returns the count where enough has been matched, and says how a message has ended whose sender
/// wants to know.
inline void answer_message(const request_token& t, mailbox_state& at, pair& with,
                           std::uint64_t sender, outcome how) {
  if (sender == 0 && with.matched < at.return_at()) [[likely]]
    return;
  t.reply<answered_by_reply>(answer{at.context, at.generation, how, false}, sender,
                             take_matched(with));
}

/// Null: its mailbox has ended here, and the sender knows.
[[nodiscard]] inline mailbox_state* find_mailbox(const request_token& t, rank_id source,
                                                 const envelope& of, std::uint64_t sender,
                                                 bool is_offer) {
  mailbox_state* const at = registry_of(t.endpoint()).find(of.context);
  if (at != nullptr && at->generation == of.generation && at->has_member(source) && !at->is_closing)
      [[likely]]
    return at;
  if (sender != 0)
    t.reply<answered_by_reply>(answer{of.context, of.generation, outcome::closed, is_offer}, sender,
                               0);
  return nullptr;
}

inline void arrive(const request_token& t, const envelope& of, const std::byte* data,
                   std::size_t bytes, std::uint64_t sender) {
  const rank_id source = t.source();
  mailbox_state* const at = find_mailbox(t, source, of, sender, false);
  if (at == nullptr) return;
  pair& with = at->pairs[source];
  if (posted* const found = at->match.take_posted(source, of.tag); found != nullptr) {
    receive(static_cast<operation&>(*found), source, of.tag, data, bytes);
    with.matched += bytes + kept_overhead;
    return answer_message(t, *at, with, sender, outcome::ok);
  }
  if (of.is_ready) {
    with.matched += bytes + kept_overhead;
    return answer_message(t, *at, with, sender, outcome::refused);
  }
  kept_message& one = keep(*at, source, of, bytes, bytes);
  copy_bytes(one.data(), data, bytes);
  one.sender = sender;
  answer_message(t, *at, with, 0, outcome::ok);
}

inline void arrive_small(request_token t, small_message m) {
  arrive(t, m.of, m.data.data(), m.of.bytes, 0);
}
inline void arrive_payload(request_token t, payload data, envelope of, std::uint64_t sender) {
  arrive(t, of, data.data(), data.size(), sender);
}
inline void arrive_offer(request_token t, envelope of, std::uint64_t sender, const std::byte* there,
                         std::size_t bytes) {
  const rank_id source = t.source();
  mailbox_state* const at = find_mailbox(t, source, of, sender, true);
  if (at == nullptr) return;
  if (posted* const found = at->match.take_posted(source, of.tag); found != nullptr) {
    auto& to = static_cast<operation&>(*found);
    match_offer(to, source, of.tag, bytes, sender, there);
    fetch_later(to);
  } else if (of.is_ready) {
    return t.reply<answered_by_reply>(answer{at->context, at->generation, outcome::refused, true},
                                      sender, 0);
  } else {
    kept_message& one = keep(*at, source, of, bytes, 0);
    one.sender = sender;
    one.there = there;
    one.is_offer = true;
  }
  answer_message(t, *at, at->pairs[source], 0, outcome::ok);
}

/// What has come before its receive goes to it. Not in a handler.
inline void take_kept(mailbox_state& at, operation& to, kept_message& one) {
  if (one.is_offer) {
    match_offer(to, one.source, one.tag, one.bytes, one.sender, one.there);
    discard(at, one);
    return fetch(to);
  }
  receive(to, one.source, one.tag, one.data(), one.bytes);
  pair& with = at.pairs[one.source];
  with.matched += one.bytes + kept_overhead;
  if (one.sender != 0 || with.matched >= at.return_at())
    answer_later(at, {one.source, one.sender, outcome::ok, false});
  discard(at, one);
}

/// Takes a message that has come, or waits for one. Not in a handler.
inline void begin_receive(operation& one) {
  mailbox_state& at = *one.of;
  if (unexpected* const found = at.match.find_kept(one); found != nullptr)
    return take_kept(at, one, static_cast<kept_message&>(*found));
  if (!at.is_dead(one.from)) return at.match.post(one);
  one.result = {one.from, one.with, 0, outcome::dead};
  end_operation(one, outcome::dead);
}

}  // namespace am::detail::messages

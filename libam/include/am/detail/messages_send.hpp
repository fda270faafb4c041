// Sends: eagerly, in the words of a message or as its payload; or as an offer, whose bytes the
// receiver fetches. Messages to one rank leave in the order of their sends, whichever way.
#pragma once

#include <am/detail/messages_arrive.hpp>

namespace am::detail::messages {

/// May this message go eagerly, so far as the receiver would have to keep it?
[[nodiscard]] inline bool is_eager(const mailbox_state& at, const pair& with,
                                   std::size_t bytes) noexcept {
  return bytes <= at.most.eager && with.unreturned + bytes + kept_overhead <= at.most.kept;
}

/// `open`: the operation that an answer ends; null: none. Never waits.
[[nodiscard]] inline am_status try_eager(mailbox_state& at, rank_id to, std::int32_t tag,
                                         const std::byte* data, std::size_t bytes,
                                         const operation* open, bool is_ready) {
  small_message m{{tag, at.context, static_cast<std::uint8_t>(bytes), is_ready, at.generation}, {}};
  am_status status;
  if (open == nullptr && bytes <= m.data.size()) {
    copy_bytes(m.data.data(), data, bytes);
    status = send<arrive_small, true>(at.ep, to, m);
  } else {
    status = send<arrive_payload, true>(at.ep, to, payload(data, bytes), m.of, handle_of(open));
  }
  if (status == am_status{}) at.pairs[to].unreturned += bytes + kept_overhead;
  return status;
}
[[nodiscard]] inline am_status try_offer(mailbox_state& at, rank_id to, operation& one) {
  pair& with = at.pairs[to];
  if (with.offers == at.most.offers) return AM_AGAIN_QUEUE;
  const envelope of{one.with, at.context, 0, one.mode == send_mode::ready, at.generation};
  const am_status status =
      send<arrive_offer, true>(at.ep, to, of, handle_of(&one), one.data, one.bytes);
  if (status == am_status{}) ++with.offers;
  return status;
}

/// Sends it, if it can leave now; otherwise the reason, and nothing has happened. An error that is
/// no fault of the call ends it.
[[nodiscard]] inline am_status start_send(operation& one, rank_id to) {
  mailbox_state& at = *one.of;
  pair& with = at.pairs[to];
  const bool eager = is_eager(at, with, one.bytes);
  const bool is_answered = !eager || one.mode != send_mode::standard;
  const am_status status =
      eager ? try_eager(at, to, one.with, one.data, one.bytes, is_answered ? &one : nullptr,
                        one.mode == send_mode::ready)
            : try_offer(at, to, one);
  const am_reason reason = am_status_reason(status);
  if (reason == AM_REASON_AGAIN || reason == AM_REASON_USAGE) return status;
  if (status != am_status{})
    end_operation(one, reason == AM_REASON_PEER ? outcome::dead : outcome::failed);
  else if (!is_answered)
    end_operation(one, outcome::ok);
  else
    with.open.add(one);
  return {};
}

/// A short message for which the other rank has no room is offered, which costs about as much as a
/// hundred short messages. A rank that receives returns room before long, so wait that long first;
/// once for a rank that does not.
inline void wait_for_room(mailbox_state& at, pair& with, std::size_t bytes) {
  constexpr unsigned most_polls = 500;
  if (with.is_behind || bytes > at.most.eager || at.most.kept < bytes + kept_overhead) return;
  for (unsigned polls = 0; polls < most_polls && !is_eager(at, with, bytes); ++polls)
    check(am_ep_poll(at.ep, 0, nullptr));
  with.is_behind = !is_eager(at, with, bytes);
}

/// True: it has left. A call that is not allowed here throws.
inline bool has_left(operation& one, rank_id to) {
  if (one.of->pairs[to].waiting.first() != nullptr) return false;
  const am_status status = start_send(one, to);
  if (am_status_reason(status) == AM_REASON_USAGE) check(status);
  return status == am_status{};
}
/// Sends it now or, if it cannot leave, in a later round.
inline void begin_send(operation& one, rank_id to) {
  mailbox_state& at = *one.of;
  pair& with = at.pairs[to];
  if (one.mode == send_mode::standard && with.waiting.first() == nullptr)
    wait_for_room(at, with, one.bytes);
  if (has_left(one, to)) return;
  check(am_ep_poll(at.ep, 0, nullptr));
  if (has_left(one, to)) return;
  if (with.waiting.first() == nullptr) at.backlog.push_back(to);
  with.waiting.add(one);
  note_work(at.registry);
}

}  // namespace am::detail::messages

// Makes of a handler and its values the calls of am.h that send. Included by am.hpp alone.
#pragma once

#include <am/detail/bulk.hpp>
#include <am/detail/handler.hpp>
#include <am/detail/status.hpp>

namespace am::detail {

template <auto Handler, bool Try, class... Values>
inline am_status send_medium(am_ep* ep, rank_id to, payload data, const Values&... values) {
  const auto w = pack(values...);
  const am_handler* h = &entry_of<Handler>::entry;
  if constexpr (Try)
    return am_ep_try_request_medium(ep, to, h, data.data(), data.size(), w[0], w[1], w[2], w[3]);
  return am_ep_request_medium(ep, to, h, data.data(), data.size(), w[0], w[1], w[2], w[3]);
}

template <auto Handler, bool Try, class... Values>
inline am_status send(am_ep* ep, rank_id to, const Values&... values) {
  check_handler<Handler, request_token>();
  check_not_bulk<Handler>();
  if constexpr (is_medium<Handler>) {
    return send_medium<Handler, Try>(ep, to, values...);
  } else {
    const auto w = pack(values...);
    const am_handler* h = &entry_of<Handler>::entry;
    if constexpr (Try) return am_ep_try_request(ep, to, h, w[0], w[1], w[2], w[3]);
    return am_ep_request(ep, to, h, w[0], w[1], w[2], w[3]);
  }
}

template <auto Handler, bool Try>
inline am_status request_with_room(am_ep* ep, rank_id to, reply_room room, payload data,
                                   const words& w) {
  const am_handler* h = &entry_of<Handler>::entry;
  return Try ? am_ep_try_request_with_room(ep, to, h, data.data(), data.size(), room.bytes, w[0],
                                           w[1], w[2], w[3])
             : am_ep_request_with_room(ep, to, h, data.data(), data.size(), room.bytes, w[0], w[1],
                                       w[2], w[3]);
}

// The payload, of a handler that takes one, comes first.
template <auto Handler, bool Try, class Data, class... Values>
inline am_status request_medium_with_room(am_ep* ep, rank_id to, reply_room room, const Data& data,
                                          const Values&... values) {
  static_assert(std::is_convertible_v<const Data&, payload>,
                "am: these values do not convert to those that the handler takes");
  return request_with_room<Handler, Try>(ep, to, room, payload(data),
                                         pack_for<Handler, 1>(values...));
}

template <auto Handler, bool Try, class... Values>
inline am_status send_with_room(am_ep* ep, rank_id to, reply_room room, const Values&... values) {
  check_handler<Handler, request_token>();
  check_not_bulk<Handler>();
  if constexpr (is_bulk<Handler>) {
    return {};
  } else if constexpr (is_medium<Handler>) {
    static_assert(sizeof...(Values) != 0, "am: this handler takes another number of values");
    return request_medium_with_room<Handler, Try>(ep, to, room, values...);
  } else {
    return request_with_room<Handler, Try>(ep, to, room, {}, pack_for<Handler, 0>(values...));
  }
}

template <auto Handler, class... Values>
constexpr void explain_request() {
  check_handler<Handler, request_token>();
  explain_values<Handler, Values...>();
}

template <auto Done, class... Values>
inline void atomic(am_ep* ep, rank_id at, word* where, am_atomic_op op, word operand, word expected,
                   const Values&... values) {
  const am_handler* done = atomic_handler<Done>();
  const auto w = pack_for<Done, 1>(values...);
  check(am_ep_atomic(ep, at, where, op, operand, expected, done, w[0], w[1], w[2]));
}

}  // namespace am::detail

// The protocols of COMMTEST: the calls by which two processes swap a packet, each sending one and
// receiving one. An unordered protocol has both send at once; of an ordered one the second process
// sends when it has received.
//
// Where the page leaves out the handshake that a ready send needs, it stands here: a process that
// has posted its receive announces this by an empty message, and the other one sends when that has
// come. Protocol 1,6, whose rows have the receive in front of the send, has the same.
#pragma once

#include <array>
#include <cstddef>

namespace calib {

enum class send_call { send, bsend, ssend, rsend, isend, issend, irsend, sendrecv };
enum class receive_call { recv, irecv };

// What a process calls for a packet; receives that were begun are posted before the send.
struct swap_side {
  send_call send;
  receive_call receive;
};

// Who announces that its receive is posted.
enum class announcement { none, by_both, by_second };

struct swap_protocol {
  const char* name;
  bool ordered;
  swap_side first, second;
  announcement announced = announcement::none;
};

namespace detail {

constexpr swap_protocol unordered(const char* name, send_call send, receive_call receive,
                                  announcement announced = announcement::none) {
  return {name, false, {send, receive}, {send, receive}, announced};
}
// The second process receives by a call that waits.
constexpr swap_protocol ordered(const char* name, swap_side first, send_call second,
                                announcement announced = announcement::none) {
  return {name, true, first, {second, receive_call::recv}, announced};
}

using enum send_call;
using enum receive_call;
using enum announcement;

inline constexpr std::array swap_protocol_table = {
    unordered("0,0", bsend, recv),
    unordered("0,1", isend, recv),
    unordered("0,2", send, irecv),
    unordered("0,3", isend, irecv),
    unordered("0,4", rsend, irecv, by_both),
    unordered("0,5", irsend, irecv, by_both),
    unordered("0,6", sendrecv, recv),
    unordered("0,7", issend, recv),
    unordered("0,8", ssend, irecv),
    unordered("0,9", issend, irecv),
    ordered("1,0", {send, recv}, send),
    ordered("1,1", {isend, recv}, send),
    ordered("1,2", {send, irecv}, send),
    ordered("1,3", {isend, irecv}, send),
    ordered("1,4", {rsend, irecv}, rsend, by_second),
    ordered("1,5", {irsend, irecv}, rsend, by_second),
    ordered("1,6", {send, recv}, send, by_second),
    ordered("1,7", {issend, recv}, ssend),
    ordered("1,8", {ssend, irecv}, ssend),
    ordered("1,9", {issend, irecv}, ssend),
    ordered("1,10", {ssend, recv}, ssend),
};

}  // namespace detail

constexpr const auto& swap_protocols() { return detail::swap_protocol_table; }

constexpr bool is_begun(send_call call) {
  return call == send_call::isend || call == send_call::issend || call == send_call::irsend;
}

// A: a packet is swapped, then the next one. B: the receive of the next packet is posted before a
// packet is sent, and a send that was begun is completed after the next one has begun.
enum class swap_set { A, B };
inline constexpr std::array swap_sets = {swap_set::A, swap_set::B};
constexpr const char* name_of(swap_set set) { return set == swap_set::A ? "A" : "B"; }

// In each mode the memory of the messages is initialised and a barrier follows. Before that the
// caches are invalidated, or are not; or they are not and each message is repeated.
enum class cache_mode { invalidated, initialised, repeated };
inline constexpr std::array cache_modes = {cache_mode::invalidated, cache_mode::initialised,
                                           cache_mode::repeated};
constexpr const char* name_of(cache_mode mode) {
  switch (mode) {
    case cache_mode::invalidated: return "invalidated";
    case cache_mode::initialised: return "initialised";
    default: return "repeated";
  }
}
inline constexpr unsigned repeats_of_message = 10;
constexpr unsigned repeats_of(cache_mode mode) {
  return mode == cache_mode::repeated ? repeats_of_message : 1;
}

// Bytes that each process sends in an experiment, in packets that are all of one size.
inline constexpr std::array<std::size_t, 3> swap_volumes = {262144 * 8, 16384 * 8, 1024 * 8};
inline constexpr unsigned most_packets = 1024;

}  // namespace calib

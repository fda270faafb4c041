// The room that requests of this rank have taken for their answers, by peer. Requests take room and
// answers return it in the same order: each answer to such a request answers the oldest
// (docs/flow-control.md).
#pragma once

#include <libam/core/release_memory.hpp>
#include <libam/seam/transport.hpp>
#include <libam/wire/payload_room.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace am::detail::core {

class answer_rooms {
 public:
  explicit answer_rooms(am_rank ranks) : by_rank_(ranks) {}

  // For an answer of at most `bytes`. AM_AGAIN_PAYLOAD: no room before other requests are answered.
  // Throws std::bad_alloc.
  am_status take(seam::port& from, am_rank peer, wire::payload_sizes sizes, std::size_t bytes,
                 seam::answer_place& out);
  // The request that took room last has not been sent.
  void undo_take(am_rank peer) noexcept;

  // The bytes that the oldest request's answer may have; null: no request has room.
  [[nodiscard]] const std::uint32_t* oldest(am_rank peer) const noexcept {
    return by_rank_[peer] == nullptr || by_rank_[peer]->taken.empty()
               ? nullptr
               : &by_rank_[peer]->taken.front().bytes;
  }
  // The oldest request has been answered.
  void release_oldest(am_rank peer) noexcept;
  // Did the last request that needed room find none?
  [[nodiscard]] bool is_short(am_rank peer) const noexcept {
    return by_rank_[peer] != nullptr && by_rank_[peer]->is_short;
  }
  // That rank sends no more answers.
  void drop_peer(am_rank peer) noexcept { by_rank_[peer].reset(); }
  void release_memory() noexcept { free_containers(by_rank_); }

 private:
  struct part {
    std::uint32_t bytes;
    std::uint32_t end;
  };
  struct peer_room {
    explicit peer_room(wire::payload_sizes sizes) noexcept
        : room(sizes.room()), room_before(room), most_bytes(sizes.most_answer_room()) {}
    wire::payload_room room;
    wire::payload_room room_before;  // before the last take()
    std::uint32_t most_bytes;
    std::deque<part> taken;
    bool is_allocated = false;  // by the transport
    bool may_grow = true;
    bool is_short = false;
  };

  static am_status find(peer_room& in, seam::port& from, std::size_t bytes,
                        wire::payload_room::place& out) noexcept;

  std::vector<std::unique_ptr<peer_room>> by_rank_;
};

}  // namespace am::detail::core

// The room that requests of this rank have taken for their answers, by peer. Room is given out in
// the order of the requests and comes back in the same one, for each answer to such a request
// answers the oldest (docs/flow-control.md).
#pragma once

#include <libam/core/give_back.hpp>
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

  // For an answer of at most `bytes`. AM_AGAIN_PAYLOAD: not before others have been answered.
  // Throws std::bad_alloc.
  am_status take(seam::port& from, am_rank peer, wire::payload_sizes sizes, std::size_t bytes,
                 seam::answer_place& out);
  // What was taken last has not been asked for.
  void put_back(am_rank peer) noexcept;

  // How many bytes the oldest request's answer may have; null: none has room.
  [[nodiscard]] const std::uint32_t* oldest(am_rank peer) const noexcept {
    return by_rank_[peer] == nullptr || by_rank_[peer]->taken.empty()
               ? nullptr
               : &by_rank_[peer]->taken.front().bytes;
  }
  // It has been answered.
  void give_back(am_rank peer) noexcept;
  // Has a request found no room since one has last?
  [[nodiscard]] bool is_short(am_rank peer) const noexcept {
    return by_rank_[peer] != nullptr && by_rank_[peer]->is_short;
  }
  // That rank answers nothing more.
  void forget(am_rank peer) noexcept { by_rank_[peer].reset(); }
  void give_back_memory() noexcept { give_back_room(by_rank_); }

 private:
  struct part {
    std::uint32_t bytes;
    std::uint32_t end;
  };
  struct of_rank {
    explicit of_rank(wire::payload_sizes sizes) noexcept
        : room(sizes.room()), before(room), most_bytes(sizes.most_answer_room()) {}
    wire::payload_room room;
    wire::payload_room before;  // what was taken last
    std::uint32_t most_bytes;
    std::deque<part> taken;
    bool is_there = false;  // the transport has made it
    bool may_grow = true;
    bool is_short = false;
  };

  static am_status find(of_rank& in, seam::port& from, std::size_t bytes,
                        wire::payload_room::place& out) noexcept;

  std::vector<std::unique_ptr<of_rank>> by_rank_;
};

}  // namespace am::detail::core

#include <libam/core/answer_rooms.hpp>

namespace am::detail::core {

am_status answer_rooms::take(seam::port& from, am_rank peer, wire::payload_sizes sizes,
                             std::size_t bytes, seam::answer_place& out) {
  std::unique_ptr<peer_room>& slot = by_rank_[peer];
  if (slot == nullptr) slot = std::make_unique<peer_room>(sizes);
  peer_room& of = *slot;
  of.taken.emplace_back();  // may throw: nothing is taken yet
  of.room_before = of.room;
  wire::payload_room::place place{};
  const am_status status = find(of, from, bytes + wire::most_header_bytes, place);
  of.is_short = status == AM_AGAIN_PAYLOAD;
  if (status != AM_OK) {
    of.taken.pop_back();
    return status;
  }
  out = {place.offset, static_cast<std::uint32_t>(bytes)};
  of.taken.back() = {out.bytes, place.end};
  return AM_OK;
}

// A room that is too small grows at its end. Without memory for that it keeps its size.
am_status answer_rooms::find(peer_room& in, seam::port& from, std::size_t bytes,
                             wire::payload_room::place& out) noexcept {
  if (!in.is_allocated) {
    if (const am_status status = from.make_answer_room(in.room.size()); status != AM_OK)
      return status;
    in.is_allocated = true;
  }
  auto found = in.room.take(bytes);
  if (!found && in.may_grow && in.room.may_grow(bytes)) {
    in.may_grow = in.room.size() < in.most_bytes &&
                  from.make_answer_room(std::size_t{2} * in.room.size()) == AM_OK;
    if (in.may_grow) {
      in.room.grow();
      found = in.room.take(bytes);
    }
  }
  if (!found) return AM_AGAIN_PAYLOAD;
  out = *found;
  return AM_OK;
}

void answer_rooms::undo_take(am_rank peer) noexcept {
  by_rank_[peer]->room = by_rank_[peer]->room_before;
  by_rank_[peer]->taken.pop_back();
}

void answer_rooms::release_oldest(am_rank peer) noexcept {
  peer_room& of = *by_rank_[peer];
  (void)of.room.update_released(of.taken.front().end);
  of.taken.pop_front();
}

}  // namespace am::detail::core

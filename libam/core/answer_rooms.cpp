#include <libam/core/answer_rooms.hpp>

namespace am::detail::core {

am_status answer_rooms::take(seam::port& from, am_rank peer, wire::payload_sizes sizes,
                             std::size_t bytes, seam::answer_place& out) {
  std::unique_ptr<of_rank>& slot = by_rank_[peer];
  if (slot == nullptr) slot = std::make_unique<of_rank>(sizes);
  of_rank& of = *slot;
  of.taken.emplace_back();  // may throw: nothing is taken yet
  of.before = of.room;
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

// A room that is too small grows, at its end. Where there is no memory for that it stays as it is.
am_status answer_rooms::find(of_rank& in, seam::port& from, std::size_t bytes,
                             wire::payload_room::place& out) noexcept {
  if (!in.is_there) {
    if (const am_status status = from.make_answer_room(in.room.size()); status != AM_OK)
      return status;
    in.is_there = true;
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

void answer_rooms::put_back(am_rank peer) noexcept {
  by_rank_[peer]->room = by_rank_[peer]->before;
  by_rank_[peer]->taken.pop_back();
}

void answer_rooms::give_back(am_rank peer) noexcept {
  of_rank& of = *by_rank_[peer];
  (void)of.room.given_back(of.taken.front().end);
  of.taken.pop_front();
}

}  // namespace am::detail::core

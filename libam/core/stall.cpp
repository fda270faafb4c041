#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/stall.hpp>

#include <algorithm>

namespace am::detail::core {

bool blocked::show(const char* call, const am_rank* peer, clock::time_point now) noexcept {
  const bool first = since_ == clock::time_point{};
  if (first) since_ = now;
  shown_ = {call, peer != nullptr ? *peer : 0, peer != nullptr,
            since_.time_since_epoch() / std::chrono::nanoseconds(1)};
  return first;
}

void stall_watch::look_around(blocked& here, const char* call, const am_rank* peer) noexcept try {
  const auto now = blocked::clock::now();
  const bool first = here.show(call, peer, now);
  if (!first && now < next_look_) return;
  next_look_ = now + interval();
  if (first || limit_ == limit_.zero()) return;
  for (am_rank rank = 0; rank < peers_.ranks(); ++rank) {
    const bool has_died = peers_.is_dead(rank) && !peers_.is_lost(rank);
    if (rank == peers_.rank() || has_died) continue;
    const std::size_t owed = owed_by(rank);
    const bool is_named = peer != nullptr && *peer == rank;
    const bool has_part = is_named || bulk_.made.pending().count(rank) != 0;
    if (owed == 0 && !has_part) continue;
    progress& seen = seen_[rank];
    const std::uint64_t signs = signs_of_life(rank);
    if (signs != seen.signs) seen = {signs, now, false};
    if (seen.told || now - std::max(seen.since, here.since()) < limit_) continue;
    seen.told = true;
    base::log(base::log_level::warn, "stall: no sign of life from {} for {} s, in {}",
              describe_debtor(rank, owed), limit_.count(), call);
  }
} catch (const std::bad_alloc&) {  // then it is not said
}

// Requests that are not answered for, and gets whose bytes have not come. What a call waits for may
// be no message: a first answer, or a peer's part of a transfer.
std::size_t stall_watch::owed_by(am_rank rank) noexcept {
  seam::port& port = peers_.port(rank);
  if (port.credits.on_their_way() != 0) bulk_.by.refresh(port);
  return port.credits.on_their_way() + bulk_.made.pending().asking(rank);
}

std::uint64_t stall_watch::signs_of_life(am_rank rank) const noexcept {
  const dispatcher::arrivals& came = dispatcher_.came_from(rank);
  return peers_.port(rank).credits.home() + came.requests + came.answers;
}

std::string stall_watch::describe_debtor(am_rank rank, std::size_t owed) const {
  const seam::port& port = peers_.port(rank);
  std::string text = base::format("rank {}", rank);
  if (const std::string about = port.about_peer(); !about.empty())
    text += base::format(" ({})", about);
  if (!peers_.is_met(rank)) return text + ", which has yet to answer first contact,";
  if (owed == 0) return text + ", which has yet to do its part of a transfer,";
  text += base::format(", which owes {} answers (credits: {})", owed, port.credits.limit());
  if (const auto oldest = seam::find_oldest(port.exposed(), port.credits, seam::own_memory{})) {
    const auto& w = oldest->words;
    text += base::format(", the oldest to {}({:#x}, {:#x}, {:#x}, {:#x}), {},",
                         dispatcher_.handler(oldest->handler).label, w[0], w[1], w[2], w[3],
                         !oldest->begun   ? "which may have begun"
                         : *oldest->begun ? "which has begun"
                                          : "not begun");
  }
  return text;
}

}  // namespace am::detail::core

#include <libam/core/stall.hpp>

#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/host_clocks.hpp>

#include <algorithm>

namespace am::detail::core {

bool wait_scope::record(const char* call, const am_rank* peer, clock::time_point now) noexcept {
  const bool first = since_ == clock::time_point{};
  if (first) since_ = now;
  place_.exposed.current_wait = {call, peer != nullptr ? *peer : 0, peer != nullptr,
                                 since_.time_since_epoch() / std::chrono::nanoseconds(1)};
  return first;
}

void wait_scope::note_begin(const char* call) noexcept {
  is_noted_ = true;
  if (place_.computation() != nullptr) place_.computation()->enter_library();
  if (place_.trace() != nullptr) {
    trace::writer& to = *place_.trace();
    idle_since_ = to.now();
    call_ = to.number_of(trace::name_of::call, call);
    outer_ = to.set_wait({idle_since_, call_});
  }
}

// The endpoint may have left meanwhile.
void wait_scope::note_end() const noexcept {
  if (place_.trace() != nullptr) {
    trace::writer& to = *place_.trace();
    const std::uint64_t end = to.now();
    to.set_wait(outer_);
    to.add({trace::kind::wait, idle_since_, 0, call_}, end);
    to.note_time(end);
  }
  if (place_.computation() != nullptr) place_.computation()->leave_library();
}

void stall_detector::check_stalls(wait_scope& here, const char* call, const am_rank* peer) noexcept
    try {
  const auto now = wait_scope::clock::now();
  const bool first = here.record(call, peer, now);
  if (trace::writer* const to = current_wait_.trace(); to != nullptr) to->note_time(to->now());
  if (!first && now < next_check_) return;
  next_check_ = now + interval();
  if (first || limit_ == limit_.zero()) return;
  for (am_rank rank = 0; rank < peers_.ranks(); ++rank) {
    const bool has_died = peers_.is_dead(rank) && !peers_.is_lost(rank);
    if (rank == peers_.rank() || has_died) continue;
    const std::size_t unanswered = unanswered_by(rank);
    const bool is_named = peer != nullptr && *peer == rank;
    const bool has_part = is_named || bulk_.caller.pending().count(rank) != 0;
    if (unanswered == 0 && !has_part) continue;
    peer_progress& seen = seen_[rank];
    const std::uint64_t count = progress_count(rank);
    if (count != seen.count) seen = {count, now, false};
    if (seen.reported || now - std::max(seen.since, here.since()) < limit_) continue;
    seen.reported = true;
    base::log(base::log_level::warn, "stall: no progress from {} for {} s, in {}",
              describe_stalled_peer(rank, unanswered), limit_.count(), call);
  }
} catch (const std::bad_alloc&) {  // then it is not reported
}

// Unanswered requests of the program, and gets whose bytes have not come. It may be 0 for the peer
// that a call waits for: of first contact, or of a peer's part of a transfer.
std::size_t stall_detector::unanswered_by(am_rank rank) noexcept {
  seam::port& port = peers_.port(rank);
  if (port.credits.in_flight() != 0) bulk_.sender.refresh_credits(port);
  const observers* const by = current_wait_.by;
  const std::size_t pings =
      by != nullptr && by->clocks != nullptr && by->clocks->asks(rank) ? 1 : 0;
  const std::size_t requests = port.credits.in_flight();
  return requests - std::min(requests, pings) + bulk_.caller.pending().requested_gets(rank);
}

std::uint64_t stall_detector::progress_count(am_rank rank) const noexcept {
  const dispatcher::receive_counts& received = dispatcher_.received_from(rank);
  return peers_.port(rank).credits.completed() + received.requests + received.answers;
}

std::string stall_detector::describe_stalled_peer(am_rank rank, std::size_t unanswered) const {
  const seam::port& port = peers_.port(rank);
  std::string text = base::format("rank {}", rank);
  if (const std::string about = port.describe_peer(); !about.empty())
    text += base::format(" ({})", about);
  if (!peers_.has_contact(rank)) return text + ", which has yet to answer first contact,";
  if (unanswered == 0) return text + ", which has yet to do its part of a transfer,";
  text += base::format(", which owes {} answers (credits: {})", unanswered, port.credits.limit());
  if (const auto oldest =
          seam::find_oldest(port.request_ring_view(), port.credits, seam::own_memory{})) {
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

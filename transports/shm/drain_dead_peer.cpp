// What follows when a peer has died: the messages that it had published are delivered, and then the
// unanswered requests to it are reported. A dead peer writes nothing more, so its memory no longer
// changes. docs/failure.md has the argument.
#include <libam/base/cache_line.hpp>
#include <transports/shm/shm.hpp>

#include <algorithm>
#include <vector>

namespace am::detail::shm {

void shared_memory_transport::check_exit_reports() noexcept {
  for (am_rank rank = 0; rank < context_.ranks; ++rank) {
    // SYNC(exit_report): with the release in base::shared_word::set. All that the dead rank
    // wrote is visible.
    const auto& block = object_at<control_block>(memory_, layout_.control_block_at(rank));
    if (dead_[rank] || rank == context_.rank ||
        block.exit_report.load(std::memory_order_acquire) == 0)
      continue;
    dead_[rank] = true;
    context_.arrivals.report_death(rank);
  }
}

// A peer that has just begun to send may have died before it signalled that.
unsigned shared_memory_transport::drain_dead_peer(am_rank peer, unsigned budget) noexcept {
  accept_new_senders();
  unsigned taken = 0;
  if (receivers_[peer] != nullptr) taken += drain(*receivers_[peer], budget);
  if (senders_[peer] != nullptr) taken += drain(*senders_[peer], budget - taken);
  if (taken == budget) return taken;
  if (receivers_[peer] != nullptr) remove(*receivers_[peer]);
  if (senders_[peer] != nullptr) remove(*senders_[peer]);
  return taken;
}

void poller::remove(const polled_ring& ring) noexcept {
  for (auto* rings : {&active_, &quiet_, &unpaused_})
    std::erase_if(*rings, [&](const polled_ring* one) { return one == &ring; });
}

// Requests are handled in order, so the unhandled ones are the newest in flight. Older ones in
// flight are silent requests that the target had handled without publishing their count; the last
// reply has the count of those before it.
void request_sender::fail_pending(seam::failure_sink& sink) noexcept {
  (void)read_counters();
  const std::uint32_t silent = channel_.silent.load(std::memory_order_relaxed);
  const auto uncounted = static_cast<std::int16_t>(silents_seen_ - silent);
  const std::uint32_t counted = silent + static_cast<std::uint32_t>(std::max<int>(uncounted, 0));
  if (account_.is_valid_silent(counted)) account_.book_silent(counted);

  std::vector<const slot*> lost;
  lost.reserve(account_.in_flight());
  seam::visit_newest_first(request_ring_view(), account_.in_flight(), seam::own_memory{},
                           [&](std::uint32_t, std::uintptr_t one, std::uint64_t) {
                             lost.push_back(reinterpret_cast<const slot*>(one));
                             return true;
                           });
  const std::uint32_t begun = channel_.begun.load(std::memory_order_relaxed);
  std::size_t not_run = 0;  // of the newest
  while (not_run != lost.size() && requests_.number_of(*lost[not_run]) + 1 != begun) ++not_run;

  for (std::size_t i = lost.size(); i-- != 0;) {
    const slot& one = *lost[i];
    const std::uint64_t control = control_in(&one);
    const payload_place place = base::read_once(one.payload);
    const bool has_payload =
        kind_of(control) == kind::medium || kind_of(control) == kind::request_with_room;
    const bool medium = has_payload && payload_.contains(place.offset, place.bytes);
    sink.on_lost_request(polled_ring::peer(), {handler_of(control), one.words,
                                               medium ? payload_.at(place.offset) : nullptr,
                                               medium ? place.bytes : 0, i >= not_run});
  }
}

}  // namespace am::detail::shm

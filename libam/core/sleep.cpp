// Sleeping: in a wait, or on the descriptor that a foreign event loop watches.
#include <libam/base/error.hpp>
#include <libam/core/endpoint.hpp>

namespace am::detail::core {

using std::chrono::nanoseconds;

// Every transport that may bring something, and the boxes of posted functions, promise a sign.
am_status endpoint::prepare_to_sleep() {
  if (const am_status status = sleeper_.open(); status != AM_OK) return status;
  for (const way& w : ways_) {
    if (w.transport == nullptr || !w.transport->can().has(seam::capability::wakes)) continue;
    if (const am_status status = sleeper_.watch(w.transport->wake_descriptor()); status != AM_OK)
      return status;
  }
  return AM_OK;
}

// For how long a sleep is safe; 0: not at all, something is there.
nanoseconds endpoint::fall_asleep(bool for_posts) noexcept {
  sleeper_.hush();
  if (for_posts && !posts_.falls_asleep()) return nanoseconds::zero();
  if (booked_at_ == polls_) return nanoseconds::zero();
  if (mourning_ || !bulk_.completions.empty() || can_pay()) return nanoseconds::zero();
  nanoseconds safe = nanoseconds::max();
  for (seam::transport* transport : polled_) {
    if (safe > nanoseconds::zero()) safe = std::min(safe, transport->arm());
  }
  return safe;
}

void endpoint::wake_up() noexcept {
  posts_.wakes_up();
  for (seam::transport* transport : polled_) transport->disarm();
}

void endpoint::sleep(nanoseconds limit, int also, bool for_posts) noexcept {
  const nanoseconds safe = fall_asleep(for_posts);
  if (safe > nanoseconds::zero()) sleeper_.sleep(std::min({limit, safe, idle_.next_nap()}), also);
  wake_up();
}

am_status endpoint::arm(bool* armed) {
  if (!in_order()) [[unlikely]]
    return refuse("arm");
  const nanoseconds safe = fall_asleep(true);
  *armed = safe > nanoseconds::zero();
  if (!*armed) wake_up();
  // Where a peer may come without a sign, this rank looks for itself now and then.
  return *armed && safe < nanoseconds::max() ? sleeper_.ring_after(safe) : AM_OK;
}

}  // namespace am::detail::core

// Sleeping: in a wait, or on the descriptor that a foreign event loop watches.
#include <libam/base/error.hpp>
#include <libam/core/progress.hpp>

namespace am::detail::core {

using std::chrono::nanoseconds;

// Every transport that may bring something, and the boxes of posted functions, promise a sign.
am_status progress::open() {
  am_status status = sleeper_.open();
  transports_.each_with(seam::capability::wakes, [&](seam::transport& t) {
    if (status == AM_OK) status = sleeper_.watch(t.wake_descriptor());
  });
  return status;
}

// For how long a sleep is safe; 0: not at all, something is there.
nanoseconds progress::fall_asleep(bool for_posts) noexcept {
  sleeper_.hush();
  if (for_posts && !posts_.falls_asleep()) return nanoseconds::zero();
  if (clock_.has_unannounced()) return nanoseconds::zero();
  if (failures_.has_some() || !bulk_.ended.empty() || bulk_.served.can_pay())
    return nanoseconds::zero();
  nanoseconds safe = nanoseconds::max();
  for (seam::transport* transport : transports_.polled()) {
    if (safe > nanoseconds::zero()) safe = std::min(safe, transport->arm());
  }
  return safe;
}

void progress::wake_up() noexcept {
  posts_.wakes_up();
  for (seam::transport* transport : transports_.polled()) transport->disarm();
}

void progress::sleep(nanoseconds limit, int also, bool for_posts) noexcept {
  const nanoseconds safe = fall_asleep(for_posts);
  if (safe > nanoseconds::zero()) sleeper_.sleep(std::min({limit, safe, idle_.next_nap()}), also);
  wake_up();
}

am_status progress::arm(bool* armed) {
  if (!dispatcher_.in_order()) [[unlikely]]
    return dispatcher_.refuse("arm");
  const nanoseconds safe = fall_asleep(true);
  *armed = safe > nanoseconds::zero();
  if (!*armed) wake_up();
  // Where a peer may come without a sign, this rank looks for itself now and then.
  return *armed && safe < nanoseconds::max() ? sleeper_.ring_after(safe) : AM_OK;
}

}  // namespace am::detail::core

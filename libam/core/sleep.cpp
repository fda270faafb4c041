// Sleeps in a wait, or prepares the sleep of a foreign event loop that watches the descriptor.
#include <libam/base/error.hpp>
#include <libam/core/progress.hpp>

namespace am::detail::core {

using std::chrono::nanoseconds;

// Every transport that may deliver, and the queue of posted functions, wakes the descriptor.
am_status progress::open() {
  am_status status = sleeper_.open();
  transports_.each_with(seam::capability::wakes, [&](seam::transport& t) {
    if (status == AM_OK) status = sleeper_.watch(t.wake_descriptor());
  });
  return status;
}

// Returns for how long a sleep is safe; 0: not at all, something is there.
nanoseconds progress::prepare_sleep(bool for_posts) noexcept {
  sleeper_.clear();
  if (for_posts && !posts_.begin_sleep()) return nanoseconds::zero();
  if (clock_.has_unannounced()) return nanoseconds::zero();
  if (failures_.has_pending() || !bulk_.completions.empty() || bulk_.server.can_serve())
    return nanoseconds::zero();
  nanoseconds safe = nanoseconds::max();
  for (seam::transport* transport : transports_.polled()) {
    if (safe > nanoseconds::zero()) safe = std::min(safe, transport->arm());
  }
  return safe;
}

void progress::end_sleep() noexcept {
  posts_.end_sleep();
  for (seam::transport* transport : transports_.polled()) transport->disarm();
}

void progress::sleep_for(nanoseconds allowed, int extra_descriptor) noexcept {
  trace::writer* const to = current_wait().trace();
  const std::uint64_t begin = to != nullptr ? to->now() : 0;
  sleeper_.sleep(allowed, extra_descriptor);
  if (to == nullptr) return;
  const std::uint64_t end = to->now();
  to->add({trace::kind::sleep, begin}, end);
  to->note_time(end);
}

void progress::sleep(nanoseconds limit, int extra_descriptor, bool for_posts) noexcept {
  const nanoseconds safe = prepare_sleep(for_posts);
  if (safe > nanoseconds::zero()) {
    using clock = std::chrono::steady_clock;
    const nanoseconds allowed = std::min({limit, safe, idle_.next_sleep_limit()});
    const auto start = clock::now();
    sleep_for(allowed, extra_descriptor);
    idle_.on_wake(clock::now() - start, allowed);
  }
  end_sleep();
}

am_status progress::arm(bool* armed) {
  if (!dispatcher_.may_call()) [[unlikely]]
    return dispatcher_.refuse("arm");
  const nanoseconds safe = prepare_sleep(true);
  *armed = safe > nanoseconds::zero();
  if (!*armed) end_sleep();
  // Where a peer's message may cause no event, this rank polls by itself now and then.
  return *armed && safe < nanoseconds::max() ? sleeper_.wake_after(safe) : AM_OK;
}

}  // namespace am::detail::core

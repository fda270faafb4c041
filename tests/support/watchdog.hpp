// Every test that can hang has a watchdog: when it is not fed in time it reports what hung and ends
// the process, so that a hang is a named failure and not a silent timeout.
#pragma once

namespace am_test {

// Restarts the timer; `what` must stay valid until the next feed.
void feed_watchdog(unsigned seconds, const char* what) noexcept;

// How much slower than a plain build this one may be (sanitizers); scales timeouts and amounts of
// work.
unsigned slowness() noexcept;

}  // namespace am_test

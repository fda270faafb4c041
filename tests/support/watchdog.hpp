// Every test that can hang has a watchdog: when it is not fed in time it says what hung and ends
// the process, so that a hang is a failure with a name and not a silent timeout.
#pragma once

namespace am_test {

// Starts the watch anew: `what` stays valid until the next feed.
void feed_watchdog(unsigned seconds, const char* what) noexcept;

// How much slower than a plain build this one may be (sanitizers), for watchdogs and amounts of
// work.
unsigned slowness() noexcept;

}  // namespace am_test

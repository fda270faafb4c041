// Knocking at another rank's door, and waking it if it sleeps.
//
// The sleeper says that it sleeps and then looks at what is there; the one who knocks makes
// something be there and then asks whether the other sleeps. Both say and ask by an exchange of the
// same word, so one of the two exchanges comes first: either the sleeper finds what is there, or
// the one who knocks finds the sleeper. docs/flow-control.md has the rest of the argument.
#pragma once

#include <libam/base/bell.hpp>
#include <transports/shm/layout.hpp>

namespace am::detail::shm {

// `mine` is the bell that this rank rings with.
inline void wake(doorstep& theirs, const base::bell& mine) noexcept {
  // SYNC(asleep): with falls_asleep. Only one of all who knock rings.
  if (theirs.asleep.exchange(0, std::memory_order_acq_rel) != 0) mine.ring(theirs.bell);
}

// Sets `bits` of the doorstep, for a rank that has found a quiet mark or has just arrived.
inline void knock(doorstep& theirs, std::uint64_t bits, const base::bell& mine) noexcept {
  // SYNC(attention): with the acquire in poller::answer_the_door.
  theirs.attention.fetch_or(bits, std::memory_order_release);
  wake(theirs, mine);
}

// Whoever knocks from here on rings; what others did before they knocked is there.
inline void falls_asleep(doorstep& mine) noexcept {
  // SYNC(asleep): with wake.
  mine.asleep.exchange(1, std::memory_order_acq_rel);
}

}  // namespace am::detail::shm

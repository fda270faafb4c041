// Signals a peer through its control block, and wakes it if it sleeps.
//
// A rank that falls asleep sets `asleep` and then checks for messages and signals; a peer writes a
// message or a signal and then clears `asleep`. Both do it by an exchange of that word, so one
// exchange comes first: either the sleeper finds what was written, or the peer finds that it
// sleeps. docs/flow-control.md has the rest of the argument.
#pragma once

#include <libam/base/wakeup.hpp>
#include <transports/shm/layout.hpp>

namespace am::detail::shm {

// `own`: the wakeup of this rank, which sends.
inline void wake_peer(control_block& peer, const base::wakeup& own) noexcept {
  // SYNC(asleep): with mark_asleep. Of all peers that signal a sleeper, one wakes it.
  if (peer.asleep.exchange(0, std::memory_order_acq_rel) != 0) own.wake(peer.wakeup);
}

// Sets `bits` of `attention`: this rank has found a quiet mark, or is a new sender.
inline void signal_peer(control_block& peer, std::uint64_t bits, const base::wakeup& own) noexcept {
  // SYNC(attention): with the acquire in poller::handle_signals.
  peer.attention.fetch_or(bits, std::memory_order_release);
  wake_peer(peer, own);
}

// A peer that signals after this wakes this rank; what peers did before their signals is visible.
inline void mark_asleep(control_block& own) noexcept {
  // SYNC(asleep): with wake_peer.
  own.asleep.exchange(1, std::memory_order_acq_rel);
}

}  // namespace am::detail::shm

// A full memory barrier on every other core that runs a registered process: the expensive half of a
// store-load order, paid by the side that seldom needs it.
#pragma once

namespace am::detail::base {

// Makes this process take part; once is enough, more do no harm. False: this kernel has no such
// barrier, and nobody may rely on one towards this process.
bool register_barrier() noexcept;

// Issues it: true when every registered process has passed a full barrier.
bool barrier_everyone() noexcept;

}  // namespace am::detail::base

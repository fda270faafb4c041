// A full memory barrier on every other core that runs a registered process: the expensive half of a
// store-load order, issued by the side that seldom needs it.
#pragma once

namespace am::detail::base {

// Registers this process; further calls do no harm. False: this kernel has no such barrier, and no
// process may rely on one for this process.
bool register_membarrier() noexcept;

// Issues it. True: every registered process has passed a full barrier.
bool issue_membarrier() noexcept;

}  // namespace am::detail::base

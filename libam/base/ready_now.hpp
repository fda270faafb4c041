// What a descriptor has at this moment: poll without waiting, which a signal may interrupt all the
// same.
#pragma once

namespace am::detail::base {

// Those of `events`, or POLLERR, POLLHUP, POLLNVAL; 0: none of them.
short ready_now(int descriptor, short events) noexcept;

}  // namespace am::detail::base

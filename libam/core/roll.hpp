// The endpoints of this process. A forked child finds them all shut; one that has left stays in
// memory, so that a late call answers usage(left) and touches nothing else.
#pragma once

#include <memory>

namespace am::detail::core {

class endpoint;

// Takes part from here on. Says whether it is alone, that is: no other endpoint lives.
bool enroll(endpoint& joined);

// Has left, or never came in.
void strike(endpoint& left) noexcept;

// Keeps what has left.
void keep(std::unique_ptr<endpoint> left);

}  // namespace am::detail::core

// Bytes over a local socket, and descriptors with them.
#pragma once

#include <libam/base/fd.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace am::detail::base {

// In one message; the kernel takes 253.
inline constexpr std::size_t most_passed = 200;

// One sendmsg without SIGPIPE; descriptors travel with the first byte. What sendmsg says.
long send_with(int socket, std::string_view bytes, std::span<const int> descriptors, int flags);

// The same, whole or not at all, and again for so long as too many descriptors of this user are on
// their way (ETOOMANYREFS): they arrive. False with errno.
bool pass_with(int socket, std::string_view bytes, std::span<const int> descriptors, int flags,
               std::chrono::steady_clock::time_point end);

// One recvmsg into `room`; descriptors that came are close-on-exec and are never lost.
long receive_with(int socket, std::span<std::byte> room, std::vector<fd>& descriptors, int flags);

}  // namespace am::detail::base

// Sends and receives bytes over a local socket, with descriptors.
#pragma once

#include <libam/base/fd.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace am::detail::base {

// In one message; the kernel takes 253.
inline constexpr std::size_t max_passed_descriptors = 200;

// One sendmsg without SIGPIPE; descriptors go with the first byte. Returns what sendmsg does.
long send_with_descriptors(int socket, std::string_view bytes, std::span<const int> descriptors,
                           int flags);

// The same, for all bytes or none. Retries while too many descriptors of this user are in flight
// (ETOOMANYREFS), for they will arrive. False with errno.
bool send_with_retry(int socket, std::string_view bytes, std::span<const int> descriptors,
                     int flags, std::chrono::steady_clock::time_point end);

// One recvmsg into `room`; received descriptors are close-on-exec and never lost.
long receive_with_descriptors(int socket, std::span<std::byte> room, std::vector<fd>& descriptors,
                              int flags);

}  // namespace am::detail::base

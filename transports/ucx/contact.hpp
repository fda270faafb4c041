// How a rank is reached through UCX: what it puts on the job's blackboard, and in its hello.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace am::detail::ucx {

struct contact {
  std::uint64_t host;  // the same for ranks of one host
  std::vector<std::byte> worker;

  // Nothing if it is no contact, or one of another form of frames.
  static std::optional<contact> decode(std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> encode() const;
};

// Of this host, as its kernel was started and what it is called: containers of one kernel are hosts
// of their own if they have names of their own.
std::uint64_t this_host() noexcept;

}  // namespace am::detail::ucx

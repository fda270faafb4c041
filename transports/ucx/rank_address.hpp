// The address of a rank for UCX, which it puts in the job's key store and in its hello.
#pragma once

#include <libam/packed/address.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace am::detail::ucx {

struct rank_address {
  std::uint64_t host_id;                   // the same for ranks of one host
  std::vector<packed::address> listeners;  // of UCX's, for TCP
  std::vector<std::byte> worker;

  // Nothing if it is no address, or one for another format of frames.
  static std::optional<rank_address> decode(std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> encode() const;
};

// A hash of the kernel's boot id and the host name: containers of one kernel are hosts of their own
// if they have names of their own.
std::uint64_t own_host_id() noexcept;

}  // namespace am::detail::ucx

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
  std::uint64_t host_id;                   // seam::boot::host_id
  std::vector<packed::address> listeners;  // of UCX's, for TCP
  std::vector<std::byte> worker;

  // Nothing if it is no address, or one for another format of frames.
  static std::optional<rank_address> decode(std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> encode() const;
};

}  // namespace am::detail::ucx

// What a rank puts into the job's key store, so that others reach it.
#pragma once

#include <libam/packed/address.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace am::detail::tcp {

using packed::address;

struct rank_address {
  bool encrypts;
  std::vector<address> addresses;

  // A byte, 1 if the rank encrypts, else 0; then the addresses.
  [[nodiscard]] std::vector<std::byte> encode() const;
  // Nothing unless `bytes` have exactly that form.
  static std::optional<rank_address> decode(std::span<const std::byte> bytes);
};

}  // namespace am::detail::tcp

#include <transports/tcp/connect/rank_address.hpp>

#include <utility>

namespace am::detail::tcp {

std::vector<std::byte> rank_address::encode() const {
  std::vector<std::byte> bytes{static_cast<std::byte>(encrypts)};
  packed::append_addresses(bytes, addresses);
  return bytes;
}

std::optional<rank_address> rank_address::decode(std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes[0] > std::byte{1}) return std::nullopt;
  auto addresses = packed::read_addresses(bytes.subspan(1));
  if (!addresses) return std::nullopt;
  return rank_address{bytes[0] == std::byte{1}, *std::move(addresses)};
}

}  // namespace am::detail::tcp

#include <transports/ucx/rank_address.hpp>

#include <libam/wire/frame.hpp>
#include <libam/wire/little_endian.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::ucx {

namespace {
// The format, the host, the number of bytes that the listeners take, the listeners, the worker.
constexpr std::size_t host_at = 8;
constexpr std::size_t listener_bytes_at = 16;
constexpr std::size_t fixed_bytes = 18;
// Of frames, of messages without them, and of this address.
constexpr std::uint64_t format_version = wire::frame_version | 2U << 8;
}  // namespace

std::vector<std::byte> rank_address::encode() const {
  std::vector<std::byte> bytes(fixed_bytes);
  packed::append_addresses(bytes, listeners);
  wire::write_number(bytes.data(), format_version);
  wire::write_number(bytes.data() + host_at, host_id);
  wire::write_number(bytes.data() + listener_bytes_at,
                     static_cast<std::uint16_t>(bytes.size() - fixed_bytes));
  bytes.insert(bytes.end(), worker.begin(), worker.end());
  return bytes;
}

std::optional<rank_address> rank_address::decode(std::span<const std::byte> bytes) {
  if (bytes.size() <= fixed_bytes) return std::nullopt;
  if (wire::read_number<std::uint64_t>(bytes.data()) != format_version) return std::nullopt;
  const auto listener_bytes = wire::read_number<std::uint16_t>(bytes.data() + listener_bytes_at);
  const auto rest = bytes.subspan(fixed_bytes);
  if (rest.size() <= listener_bytes) return std::nullopt;
  auto listeners = packed::read_addresses(rest.first(listener_bytes));
  if (!listeners) return std::nullopt;
  const auto worker = rest.subspan(listener_bytes);
  return rank_address{wire::read_number<std::uint64_t>(bytes.data() + host_at),
                      *std::move(listeners),
                      {worker.begin(), worker.end()}};
}

}  // namespace am::detail::ucx

#include <libam/base/hash.hpp>
#include <libam/wire/frame.hpp>
#include <libam/wire/little_endian.hpp>
#include <transports/ucx/rank_address.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace am::detail::ucx {

namespace {
constexpr std::size_t head_bytes = 16;  // the format, then the host
// Of frames, and of messages without them.
constexpr std::uint64_t format_version = wire::frame_version | 1U << 8;
}  // namespace

std::vector<std::byte> rank_address::encode() const {
  std::vector<std::byte> bytes(head_bytes + worker.size());
  wire::write_number(bytes.data(), format_version);
  wire::write_number(bytes.data() + 8, host_id);
  std::ranges::copy(worker, bytes.begin() + head_bytes);
  return bytes;
}

std::optional<rank_address> rank_address::decode(std::span<const std::byte> bytes) {
  if (bytes.size() <= head_bytes) return std::nullopt;
  if (wire::read_number<std::uint64_t>(bytes.data()) != format_version) return std::nullopt;
  const auto worker = bytes.subspan(head_bytes);
  return rank_address{wire::read_number<std::uint64_t>(bytes.data() + 8),
                      {worker.begin(), worker.end()}};
}

std::uint64_t own_host_id() noexcept {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  std::array<char, 256> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  return base::hash_of(name.data(), base::hash_of(id));
}

}  // namespace am::detail::ucx

#include <transports/ucx/segments.hpp>

#include <libam/base/format.hpp>
#include <libam/base/sigxfsz_blocker.hpp>
#include <libam/base/standard_stream_guard.hpp>
#include <libam/wire/little_endian.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace am::detail::ucx {

namespace {

// An announcement: the segment's number, address and length, and UCX's key to it.
constexpr std::size_t head_bytes = 24;

struct head {
  std::uint64_t number;
  std::uint64_t address;
  std::uint64_t bytes;
};

// The announcement has at least head_bytes.
head read_head(std::span<const std::byte> announcement) noexcept {
  const auto word = [&](std::size_t i) {
    return wire::read_number<std::uint64_t>(announcement.data() + i * sizeof(std::uint64_t));
  };
  return {word(0), word(1), word(2)};
}

}  // namespace

void own_segments::clear() noexcept {
  for (const auto& [number, one] : all_) (void)ucp_mem_unmap(context_, one.handle);
  all_.clear();
}

own_segments::segments::const_iterator own_segments::find(const void* address) const noexcept {
  return std::ranges::find_if(
      all_, [&](const auto& one) { return one.second.address == address && !one.second.retired; });
}

bool own_segments::is_reachable(const void* address) const noexcept {
  return std::ranges::any_of(all_, [&](const auto& one) {
    return one.second.address == address && one.second.registered;
  });
}

void* own_segments::make(std::size_t bytes, std::string& why) {
  ucp_mem_map_params_t how{};
  how.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  how.length = bytes;
  how.flags = UCP_MEM_MAP_ALLOCATE;
  return map(how, bytes, why);
}

bool own_segments::register_memory(void* address, std::size_t bytes, std::string& why) {
  ucp_mem_map_params_t how{};
  how.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_ADDRESS;
  how.length = bytes;
  how.address = address;
  return map(how, bytes, why) != nullptr;
}

void* own_segments::map(const ucp_mem_map_params_t& how, std::size_t bytes, std::string& why) {
  const base::standard_stream_guard
      streams_guard;  // UCX may make a file for it, as large as the segment
  const base::sigxfsz_blocker file_size_guard;
  segment made{};
  ucs_status_t status = ucp_mem_map(context_, &how, &made.handle);
  if (status != UCS_OK) {
    why = base::format("ucp_mem_map: {}", ucs_status_string(status));
    return nullptr;
  }
  ucp_mem_attr_t found{};
  found.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  void* key = nullptr;
  std::size_t key_bytes = 0;
  status = ucp_mem_query(made.handle, &found);
  if (status == UCS_OK) status = ucp_rkey_pack(context_, made.handle, &key, &key_bytes);
  if (status != UCS_OK) {
    why = base::format("ucp_rkey_pack: {}", ucs_status_string(status));
    (void)ucp_mem_unmap(context_, made.handle);
    return nullptr;
  }
  made.address = found.address;
  made.registered = (how.flags & UCP_MEM_MAP_ALLOCATE) == 0;
  made.announcement.resize(head_bytes + key_bytes);
  wire::write_number(made.announcement.data(), next_);
  wire::write_number(made.announcement.data() + 8,
                     std::uint64_t{reinterpret_cast<std::uintptr_t>(found.address)});
  wire::write_number(made.announcement.data() + 16, std::uint64_t{bytes});
  std::memcpy(made.announcement.data() + head_bytes, key, key_bytes);
  ucp_rkey_buffer_release(key);
  all_.emplace(next_++, std::move(made));
  return found.address;
}

void own_segments::retire(const void* address, std::set<am_rank> key_holders) noexcept {
  const auto found = all_.find(find(address)->first);
  found->second.retired = true;
  found->second.key_holders = std::move(key_holders);
  if (found->second.key_holders.empty()) unmap(found);
}

void own_segments::on_forgotten(std::span<const std::byte> announcement, am_rank by) noexcept {
  if (announcement.size() < head_bytes) return;
  const auto found = all_.find(read_head(announcement).number);
  if (found == all_.end() || !found->second.retired) return;
  if (found->second.key_holders.erase(by) != 0 && found->second.key_holders.empty()) unmap(found);
}

void own_segments::forget_peer(am_rank peer) noexcept {
  for (auto one = all_.begin(); one != all_.end();) {
    const bool last = one->second.key_holders.erase(peer) != 0 && one->second.key_holders.empty();
    one = last ? unmap(one) : std::next(one);
  }
}

own_segments::segments::iterator own_segments::unmap(segments::iterator of) noexcept {
  (void)ucp_mem_unmap(context_, of->second.handle);
  return all_.erase(of);
}

// ---- of a peer ----------------------------------------------------------------------------------

bool remote_segments::learn(std::span<const std::byte> announcement) {
  if (announcement.size() <= head_bytes) return false;
  const auto [number, address, bytes] = read_head(announcement);
  if (bytes == 0 || address + bytes < address) return false;
  const auto packed = announcement.subspan(head_bytes);
  all_.try_emplace(address, segment{number, bytes, {packed.begin(), packed.end()}, nullptr});
  return true;
}

void remote_segments::forget(std::span<const std::byte> announcement) noexcept {
  if (announcement.size() < head_bytes) return;
  const auto [number, address, bytes] = read_head(announcement);
  const auto found = all_.find(address);
  if (found != all_.end() && found->second.number == number) all_.erase(found);
}

ucp_rkey_h remote_segments::key_to(const void* where, std::size_t bytes, ucp_ep_h ep) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(where);
  auto found = all_.upper_bound(at);
  if (found == all_.begin()) return nullptr;
  segment& one = (--found)->second;
  const std::uint64_t offset = at - found->first;
  if (offset > one.bytes || bytes > one.bytes - offset) return nullptr;
  if (ucp_rkey_h key = nullptr; !one.packed.empty()) {
    if (ucp_ep_rkey_unpack(ep, one.packed.data(), &key) == UCS_OK) one.key.reset(key);
    one.packed = {};
  }
  return one.key.get();
}

}  // namespace am::detail::ucx

#include <libam/base/format.hpp>
#include <libam/wire/little_endian.hpp>
#include <transports/ucx/segments.hpp>

#include <cstring>
#include <iterator>
#include <utility>

namespace am::detail::ucx {

namespace {

// An announcement: where it is, how long, and UCX's key to it.
constexpr std::size_t head_bytes = 16;

}  // namespace

void own_segments::clear() noexcept {
  for (const auto& [address, one] : all_) (void)ucp_mem_unmap(context_, one.handle);
  all_.clear();
}

void* own_segments::make(std::size_t bytes, std::string& why) {
  ucp_mem_map_params_t how{};
  how.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  how.length = bytes;
  how.flags = UCP_MEM_MAP_ALLOCATE;
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
  const auto address = reinterpret_cast<std::uintptr_t>(found.address);
  made.announcement.resize(head_bytes + key_bytes);
  wire::write_number(made.announcement.data(), std::uint64_t{address});
  wire::write_number(made.announcement.data() + 8, std::uint64_t{bytes});
  std::memcpy(made.announcement.data() + head_bytes, key, key_bytes);
  ucp_rkey_buffer_release(key);
  all_[address] = std::move(made);
  return found.address;
}

void own_segments::retire(const void* address, std::set<am_rank> knowing) noexcept {
  const auto found = all_.find(reinterpret_cast<std::uintptr_t>(address));
  found->second.retired = true;
  found->second.knowing = std::move(knowing);
  if (found->second.knowing.empty()) let_go(found);
}

void own_segments::is_forgotten(std::span<const std::byte> announcement, am_rank by) noexcept {
  if (announcement.size() < head_bytes) return;
  const auto found = all_.find(wire::read_number<std::uint64_t>(announcement.data()));
  if (found == all_.end() || !found->second.retired) return;
  if (found->second.knowing.erase(by) != 0 && found->second.knowing.empty()) let_go(found);
}

void own_segments::forget_peer(am_rank peer) noexcept {
  for (auto one = all_.begin(); one != all_.end();) {
    const bool last = one->second.knowing.erase(peer) != 0 && one->second.knowing.empty();
    one = last ? let_go(one) : std::next(one);
  }
}

own_segments::place own_segments::let_go(place of) noexcept {
  (void)ucp_mem_unmap(context_, of->second.handle);
  return all_.erase(of);
}

// ---- the peer's ---------------------------------------------------------------------------------

bool remote_segments::learn(std::span<const std::byte> announcement) {
  if (announcement.size() <= head_bytes) return false;
  const auto address = wire::read_number<std::uint64_t>(announcement.data());
  const auto bytes = wire::read_number<std::uint64_t>(announcement.data() + 8);
  if (bytes == 0 || address + bytes < address) return false;
  const auto packed = announcement.subspan(head_bytes);
  all_.try_emplace(address, segment{bytes, {packed.begin(), packed.end()}, nullptr});
  return true;
}

void remote_segments::forget(std::span<const std::byte> announcement) noexcept {
  if (announcement.size() >= head_bytes)
    all_.erase(wire::read_number<std::uint64_t>(announcement.data()));
}

ucp_rkey_h remote_segments::key_to(const void* where, std::size_t bytes, ucp_ep_h way) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(where);
  auto found = all_.upper_bound(at);
  if (found == all_.begin()) return nullptr;
  segment& one = (--found)->second;
  const std::uint64_t offset = at - found->first;
  if (offset > one.bytes || bytes > one.bytes - offset) return nullptr;
  if (ucp_rkey_h key = nullptr; !one.packed.empty()) {
    if (ucp_ep_rkey_unpack(way, one.packed.data(), &key) == UCS_OK) one.key.reset(key);
    one.packed = {};
  }
  return one.key.get();
}

}  // namespace am::detail::ucx

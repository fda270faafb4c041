// Helpers of tests of bulk data, at rank 0 of a pair.
#pragma once

#include "far_end.hpp"
#include "link_pair.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace am_test {

using seam::transfer_status;

inline bytes numbered(std::size_t size) {
  bytes made(size);
  for (std::size_t i = 0; i < size; ++i) made[i] = static_cast<std::byte>(i * 7 + i / 251);
  return made;
}

// Memory whose second half is inaccessible.
class half_mapped {
 public:
  static constexpr std::size_t half = std::size_t{64} * 1024;
  half_mapped()
      : at_(static_cast<std::byte*>(::mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(::mprotect(at_ + half, half, PROT_NONE) == 0);
  }
  half_mapped(const half_mapped&) = delete;
  half_mapped& operator=(const half_mapped&) = delete;
  ~half_mapped() { ::munmap(at_, 2 * half); }
  [[nodiscard]] std::byte* at() const { return at_; }

 private:
  std::byte* at_;
};

inline void* const there = reinterpret_cast<void*>(0x7f0000001000);

inline seam::transfer transfer_of(const void* data, std::size_t size) {
  return {there, const_cast<void*>(data), size, silent, {42, 0, 0, 0}};
}

inline seam::transfer stable_transfer(const void* data, std::size_t size) {
  seam::transfer one = transfer_of(data, size);
  one.source_stable = true;
  return one;
}

using kind = wire::message_kind;
inline std::vector<kind> kinds_of(const std::vector<wire::message>& all) {
  std::vector<kind> kinds;
  for (const wire::message& one : all) kinds.push_back(one.kind);
  return kinds;
}

inline void put(pair& p, seam::transfer& one) {
  p.channel.credits.take();
  one.status = transfer_status::under_way;
  REQUIRE(p.channel.put(one) == transfer_status::under_way);
}

// Rank 1's store of `data` to `where` here, as one piece and the notice behind it.
inline bytes store_of(pair& p, const bytes& data, void* where) {
  const auto address = reinterpret_cast<std::uintptr_t>(where);
  p.packer.add(piece(address, data.size()));
  const auto frame = p.packer.close(0);
  bytes all(frame.begin(), frame.end());
  all.insert(all.end(), data.begin(), data.end());
  all.resize(wire::round_up_to_step(all.size()));
  wire::message notice = request(silent, {5, 0, 0, 0});
  notice.kind = wire::message_kind::notice;
  notice.where = address;
  notice.bytes = data.size();
  p.packer.add(notice);
  const auto behind = p.packer.close(0);
  all.insert(all.end(), behind.begin(), behind.end());
  return all;
}

}  // namespace am_test

// The segments of this rank, and who hears of them: every peer in contact is told of one when it is
// made and when it goes, and at contact of all there are.
#pragma once

#include <libam/packed/peers.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/segments.hpp>

#include <cstddef>
#include <span>

namespace am::detail::ucx {

class announced_segments {
 public:
  announced_segments(const engine& ucx, peers& all) noexcept : own_(ucx.context()), peers_(all) {}

  // As of seam::transport.
  void* make(std::size_t bytes) noexcept;
  void adopt(void* address, std::size_t bytes) noexcept;
  bool abandon(void* address) noexcept;
  void free(void* address) noexcept;

  void announce_all(channel& to);
  void is_forgotten(std::span<const std::byte> announcement, am_rank by) noexcept {
    own_.is_forgotten(announcement, by);
  }
  void forget_peer(am_rank peer) noexcept { own_.forget_peer(peer); }
  void clear() noexcept { own_.clear(); }

 private:
  void withdraw(void* address) noexcept;
  void tell_all(kind what, std::span<const std::byte> announcement);

  own_segments own_;
  peers& peers_;
};

}  // namespace am::detail::ucx

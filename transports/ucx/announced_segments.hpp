// The segments of this rank, announced to every connected peer: each when it is made and when it is
// withdrawn, and all of them when a peer connects.
#pragma once

#include <libam/packed/peers.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/segments.hpp>

#include <cstddef>
#include <span>

namespace am::detail::ucx {

class announced_segments {
 public:
  announced_segments(const engine& ucx, peers& all_peers) noexcept
      : own_(ucx.context()), peers_(all_peers) {}

  // See seam::transport.
  void* make(std::size_t bytes) noexcept;
  void register_memory(void* address, std::size_t bytes) noexcept;
  bool deregister(void* address) noexcept;
  void free(void* address) noexcept;

  void announce_all(channel& to);
  void on_forgotten(std::span<const std::byte> announcement, am_rank by) noexcept {
    own_.on_forgotten(announcement, by);
  }
  void forget_peer(am_rank peer) noexcept { own_.forget_peer(peer); }
  void clear() noexcept { own_.clear(); }

 private:
  void withdraw(void* address) noexcept;
  void announce_to_all(kind what, std::span<const std::byte> announcement);

  own_segments own_;
  peers& peers_;
};

}  // namespace am::detail::ucx

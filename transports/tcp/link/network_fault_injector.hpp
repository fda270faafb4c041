// Injects the network faults of AM_FAULT: calls that move a few bytes only, and frames that are
// lost, doubled, cut or changed. Both ends must detect that, give each other up, and deliver
// nothing twice.
#pragma once

#include <libam/seam/fault_random.hpp>

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <vector>

namespace am::detail::tcp {

class tcp_link;

class network_fault_injector {
 public:
  explicit network_fault_injector(const seam::transport_context& context)
      : context_(context), faults_(context.settings.fault) {}

  // The parts that a call moves, or fewer bytes of them; valid until the next call.
  std::span<const iovec> shorten(std::span<const iovec> parts) noexcept;

  // What is sent in place of a frame, valid until the next call; the connection may have ended.
  // Empty: nothing is sent, and an empty frame should follow soon, by whose number the loss shows.
  std::span<const std::byte> alter(std::span<const std::byte> frame, tcp_link& to);

 private:
  bool should_inject(std::uint64_t rarity) noexcept;

  const seam::transport_context context_;
  const base::faults faults_;
  bool is_seeded_ = false;
  base::random_source random_{0};
  std::vector<std::byte> altered_;
  std::vector<iovec> shortened_;
};

}  // namespace am::detail::tcp

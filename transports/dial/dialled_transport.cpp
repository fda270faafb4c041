#include <transports/dial/dialled_transport.hpp>

#include <libam/base/error.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::dial {

dialled_transport::dialled_transport(std::unique_ptr<seam::transport> inner, network& net,
                                     std::uint16_t number)
    : forwarding_transport(std::move(inner)), network_(net), route_{wrapped(), number} {}

seam::port* dialled_transport::connect(am_rank peer, std::span<const std::byte> address,
                                       std::string& why) {
  // Of a rank that has just died that will be reported.
  if (const am_status status = network_.open_lane(peer); status != AM_OK) {
    if (status != AM_PEER_DEAD) why = base::error_text();
    return nullptr;
  }
  return ports_.wrap(forwarding_transport::connect(peer, address, why), *this, network_,
                     route_.number);
}

// Whatever is left of a dead peer is delivered at once.
unsigned dialled_transport::drain_dead_peer(am_rank peer, unsigned budget) noexcept {
  const unsigned taken = forwarding_transport::drain_dead_peer(peer, budget);
  if (taken < budget) network_.retire(peer);
  return taken;
}

// The inner transport does not sleep while it has messages, though none of them is due before
// time_left(). It is not armed then, so what comes meanwhile wakes no rank, and may be due at once.
std::chrono::nanoseconds dialled_transport::arm() noexcept {
  constexpr std::chrono::nanoseconds longest_unarmed = std::chrono::microseconds(100);
  const std::chrono::nanoseconds left = network_.time_left(route_);
  const std::chrono::nanoseconds safe = forwarding_transport::arm();
  if (safe > std::chrono::nanoseconds::zero()) return std::min(safe, left);
  return left == std::chrono::nanoseconds::max() ? safe : std::min(left, longest_unarmed);
}

}  // namespace am::detail::dial

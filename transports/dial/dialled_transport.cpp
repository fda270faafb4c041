#include <transports/dial/dialled_transport.hpp>

#include <libam/base/error.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::dial {

dialled_transport::dialled_transport(std::unique_ptr<seam::transport> inner, network& net,
                                     std::uint8_t number)
    : forwarding_transport(std::move(inner)), network_(net), route_{wrapped(), number} {
  ports_.reserve(net.context().ranks);
}

seam::port* dialled_transport::connect(am_rank peer, std::span<const std::byte> address,
                                       std::string& why) {
  if (network_.open_lane(peer) != AM_OK) {
    why = base::error_text();
    return nullptr;
  }
  seam::port* const made = forwarding_transport::connect(peer, address, why);
  if (made == nullptr) return nullptr;
  ports_.push_back(std::make_unique<dialled_port>(*made, *this, network_, route_.number));
  return ports_.back().get();
}

// Whatever is left of a dead peer is delivered at once.
unsigned dialled_transport::drain_dead_peer(am_rank peer, unsigned budget) noexcept {
  const unsigned taken = forwarding_transport::drain_dead_peer(peer, budget);
  if (taken < budget) network_.retire(peer);
  return taken;
}

// The inner transport does not sleep while it has messages. They are not due before time_left(),
// and what comes meanwhile leaves later, so it is not due before that either.
std::chrono::nanoseconds dialled_transport::arm() noexcept {
  const std::chrono::nanoseconds safe = forwarding_transport::arm();
  const std::chrono::nanoseconds left = network_.time_left(route_);
  return left == std::chrono::nanoseconds::max() ? safe : left;
}

}  // namespace am::detail::dial

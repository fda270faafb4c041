// A transport around another one that delivers each message when it is due (AM_DIAL). Nothing is
// copied or queued here: what is not due stays in the inner transport, of which only advance(),
// has_come() and deliver_from() are called in the place of poll().
#pragma once

#include <libam/seam/forwarding.hpp>
#include <transports/dial/dialled_port.hpp>
#include <transports/dial/network.hpp>

#include <memory>

namespace am::detail::dial {

class dialled_transport final : public seam::forwarding_transport {
 public:
  // `number` tells the stamps of its messages from those of other transports.
  dialled_transport(std::unique_ptr<seam::transport> inner, network& net, std::uint16_t number);

  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities caps() const noexcept override {
    return forwarding_transport::caps().without(seam::capability::streams);
  }
  unsigned poll(unsigned budget) noexcept override {
    const ticks start = network_.now();
    advance();
    const unsigned taken = network_.deliver(route_, budget, start);
    if (taken != 0) (void)flush();  // the answers
    return taken;
  }
  unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept override;
  std::chrono::nanoseconds arm() noexcept override;

 private:
  network& network_;
  receiver::route route_;
  seam::wrapped_ports<dialled_port> ports_;
};

}  // namespace am::detail::dial

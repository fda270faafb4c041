// A port whose messages leave through the card of a dialled rank. Bulk data goes as the fragments
// of one message where its bytes are in place before the notice; elsewhere core sends it in
// messages.
#pragma once

#include <libam/seam/forwarding.hpp>
#include <transports/dial/network.hpp>

namespace am::detail::dial {

class dialled_transport;

class dialled_port final : public seam::forwarding_port {
 public:
  dialled_port(seam::port& inner, dialled_transport& by, network& net,
               std::uint16_t number) noexcept
      : forwarding_port(inner, inner.route_caps().without(seam::capability::streams)),
        transport_(by),
        network_(net),
        number_(number) {}

  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override;
  seam::transfer_status put(seam::transfer& one) noexcept override;
  seam::transfer_status get(seam::transfer& one) noexcept override;
  am_word* mapped_word(am_word*) noexcept override { return nullptr; }
  void poll_once() noexcept override;
  // Every request polls: a run would not pass through here.
  std::uint32_t poll_after_send() noexcept override;
  void fail_pending(seam::failure_sink& sink) noexcept override;

 private:
  [[nodiscard]] bool is_direct() const noexcept {
    return route_caps().has(seam::capability::direct);
  }
  [[nodiscard]] ticks spend_overhead_once(std::size_t bytes) noexcept;
  void stamp_request(ticks now, std::size_t bytes) noexcept;
  am_status stamp_if_sent(am_status status, ticks now, std::size_t bytes) noexcept;

  dialled_transport& transport_;
  network& network_;
  const std::uint16_t number_;
  bool overhead_spent_ = false;  // by a message that has found no room
};

}  // namespace am::detail::dial

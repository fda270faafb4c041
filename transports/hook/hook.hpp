// A transport around another one that injects faults (AM_FAULT): deliveries are late, sends are
// refused, ranks sleep or die. Nothing is lost, duplicated or reordered: every program that keeps
// libam's rules works as before, but more slowly.
//
// Messages are delayed at the receiver: an accepted message leaves without the sender's help.
#pragma once

#include <libam/seam/forwarding.hpp>
#include <transports/hook/fault_injector.hpp>

#include <memory>
#include <utility>

namespace am::detail::hook {

class faulty_port final : public seam::forwarding_port {
 public:
  faulty_port(seam::port& inner, fault_injector& injector) noexcept
      : forwarding_port(inner), injector_(injector) {}

  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override;
  seam::transfer_status put(seam::transfer& one) noexcept override;
  void poll_once() noexcept override;
  // Every request polls, so that each of these polls may be delayed.
  std::uint32_t poll_after_send() noexcept override {
    poll_once();
    return 0;
  }
  void refresh_credits() noexcept override;
  void fail_pending(seam::failure_sink& sink) noexcept override;

  // Shows all hidden credits. True if a shortage was simulated since the last call.
  bool end_shortage() noexcept {
    credits.show_hidden();
    return std::exchange(shortage_simulated_, false);
  }

 private:
  void maybe_hide_credits() noexcept;
  bool simulates_no_room() noexcept;

  fault_injector& injector_;
  bool shortage_simulated_ = false;  // the caller may wait for credits or room that exist
};

class faulty_transport final : public seam::forwarding_transport {
 public:
  faulty_transport(std::unique_ptr<seam::transport> inner, const seam::transport_context& context);

  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  unsigned poll(unsigned budget) noexcept override;
  std::chrono::nanoseconds arm() noexcept override;

 private:
  fault_injector injector_;
  seam::wrapped_ports<faulty_port> ports_;
};

std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::transport_context& context);

}  // namespace am::detail::hook

// A transport around another one that records what leaves and what comes (AM_TRACE).
#pragma once

#include <libam/seam/forwarding.hpp>
#include <transports/trace/tracer.hpp>

#include <memory>

namespace am::detail::trace {

class traced_port final : public seam::forwarding_port {
 public:
  traced_port(seam::port& inner, tracer& by) noexcept : forwarding_port(inner), tracer_(by) {}

  // A moment without a duration: a reading of the counter costs as much as the send itself.
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override {
    tracer_.add_sent_now(kind::request, peer, handler);
    forwarding_port::send(handler, w0, w1, w2, w3);
  }
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override;
  seam::transfer_status put(seam::transfer& one) noexcept override;
  seam::transfer_status get(seam::transfer& one) noexcept override;
  void poll_once() noexcept override;
  std::uint32_t poll_after_send() noexcept override;

 private:
  tracer& tracer_;
  seam::polls_without_runs polls_;
};

class traced_transport final : public seam::forwarding_transport {
 public:
  traced_transport(std::unique_ptr<seam::transport> inner, tracer& by) noexcept
      : forwarding_transport(std::move(inner)), tracer_(by) {}

  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override {
    return ports_.wrap(forwarding_transport::connect(peer, address, why), tracer_);
  }
  unsigned poll(unsigned budget) noexcept override {
    return tracer_.deliver([&] { return forwarding_transport::poll(budget); });
  }
  unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept override {
    return tracer_.deliver([&] { return forwarding_transport::drain_dead_peer(peer, budget); });
  }

 private:
  tracer& tracer_;
  seam::wrapped_ports<traced_port> ports_;
};

}  // namespace am::detail::trace

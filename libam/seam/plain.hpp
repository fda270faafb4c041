// Default implementations for a transport without the rarer abilities. They are not in
// transport.hpp: a wrapper that does not forward a call would use them there in the place of the
// transport that it wraps (forwarding.hpp).
#pragma once

#include <libam/seam/transport.hpp>

namespace am::detail::seam {

class plain_port : public port {
 public:
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override {
    send(handler->id, w0, w1, w2, w3);
    return AM_OK;
  }
  am_status make_answer_room(std::size_t) noexcept override { return AM_OK; }
  transfer_status put(transfer&) noexcept override { return transfer_status::unsupported; }
  transfer_status get(transfer&) noexcept override { return transfer_status::unsupported; }
  am_word* mapped_word(am_word*) noexcept override { return nullptr; }
  std::uint32_t poll_after_send() noexcept override {
    poll_once();
    return 0;
  }
  void fail_pending(failure_sink&) noexcept override {}
  [[nodiscard]] std::string describe_peer() const override { return {}; }
  [[nodiscard]] request_ring request_ring_view() const noexcept override { return {}; }
  [[nodiscard]] std::string describe_route() const override { return {}; }

 protected:
  using port::port;
};

class plain_transport : public transport {
 public:
  unsigned drain_dead_peer(am_rank, unsigned) noexcept override { return 0; }
  void* make_segment(std::size_t) noexcept override { return nullptr; }
  void free_segment(void*) noexcept override {}
  void register_segment(void*, std::size_t) noexcept override {}
  bool deregister_segment(void*) noexcept override { return false; }
  void leave() noexcept override {}
  [[nodiscard]] int wake_descriptor() const noexcept override { return -1; }
  void disarm() noexcept override {}
};

}  // namespace am::detail::seam

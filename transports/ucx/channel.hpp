// One pair of ranks through UCX. For core it is a port; its parts are an endpoint, a sender and a
// receiver of frames, and transfers into and out of the peer's segments.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <libam/packed/peers.hpp>
#include <libam/seam/plain.hpp>
#include <transports/ucx/channel_manager.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/frame_receiver.hpp>
#include <transports/ucx/frame_sender.hpp>
#include <transports/ucx/pair_state.hpp>
#include <transports/ucx/transfers.hpp>
#include <transports/ucx/ucx_endpoint.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace am::detail::ucx {

// Without `wakes`, which UCX may not support.
inline constexpr seam::capabilities ucx_caps{seam::capability::accepts_unsolicited,
                                             seam::capability::segments};

class channel final : public seam::plain_port {
 public:
  using state = packed::state;

  // Throws std::bad_alloc.
  channel(const seam::transport_context& context, am_rank to, peers& all_peers,
          channel_manager& manager, engine& ucx);

  // ---- for core: the port ----
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override;
  void poll_once() noexcept override {}  // would run handlers of others: input waits for a poll
  seam::transfer_status put(seam::transfer& one) noexcept override { return bulk.put(one); }
  seam::transfer_status get(seam::transfer& one) noexcept override { return bulk.get(one); }
  am_word* mapped_word(am_word* there) noexcept override { return bulk.mapped_word(there); }
  void refresh_credits() noexcept override;
  void fail_pending(seam::failure_sink& sink) noexcept override;
  [[nodiscard]] seam::request_ring request_ring_view() const noexcept override {
    return frames_out_.request_ring_view();
  }
  [[nodiscard]] std::string describe_peer() const override;
  [[nodiscard]] std::string describe_route() const override { return ep.lane_names(); }

  // ---- for the transport, beside the parts ----
  [[nodiscard]] state current_state() const noexcept { return pair.current_state(); }
  [[nodiscard]] bool is_open() const noexcept { return pair.is_open(); }
  void flush() noexcept { out.flush(); }
  void publish() noexcept { out.publish(); }
  // Sends the hello, with this rank's address; once.
  void send_hello(std::span<const std::byte> address);
  [[nodiscard]] bool is_flushed() const noexcept {
    return !frames_out_.has_messages() && out.is_empty() && bulk.is_empty();
  }
  // Something is in flight that only progress() advances.
  [[nodiscard]] bool needs_progress() const noexcept {
    return (current_state() <= state::open && !out.is_empty()) || bulk.needs_progress();
  }
  void retire_peer() noexcept;  // the peer is dead
  // Releases memory and keys of UCX's before UCX ends.
  void release_ucx() noexcept;

 private:
  packed::frame_writer frames_out_;

 public:
  packed::channel_flags flags;
  pair_state pair;
  ucx_endpoint ep;
  frame_sender out;
  frame_receiver in;
  transfers bulk;

 private:
  bool hello_sent_ = false;
};

}  // namespace am::detail::ucx

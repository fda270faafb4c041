// Bulk data into and out of one peer's segments. Where UCX has such memory mapped here, it is
// copied. Elsewhere a store is a put, a flush, and then the notice, because UCX keeps no order
// between a put and a message. Puts that begin while one flush is under way share the next.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <libam/seam/transport.hpp>
#include <transports/ucx/channel_manager.hpp>
#include <transports/ucx/flush_counter.hpp>
#include <transports/ucx/frame_sender.hpp>
#include <transports/ucx/pair_state.hpp>
#include <transports/ucx/segments.hpp>
#include <transports/ucx/ucx_endpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <span>
#include <vector>

namespace am::detail::ucx {

class transfers {
 public:
  // Notices join these frames.
  transfers(ucx_endpoint& to, pair_state& pair, seam::sender_credits& credits,
            packed::frame_writer& frames, frame_sender& out, peers& all_peers,
            channel_manager& manager, seam::inbox& arrivals) noexcept;

  seam::transfer_status put(seam::transfer& what) noexcept;
  seam::transfer_status get(seam::transfer& what) noexcept;
  am_word* mapped_word(am_word* there) noexcept;

  // Memory that the peer announces; false: the announcement is invalid.
  bool learn(std::span<const std::byte> announcement) {
    return remote_segments_.learn(announcement);
  }
  // It is withdrawn; the peer is answered when no transfer can be under way there.
  void forget(std::span<const std::byte> announcement);

  [[nodiscard]] bool is_empty() const noexcept { return all_.empty(); }
  // One is under way that only progress() advances.
  [[nodiscard]] bool needs_progress() const noexcept;
  // Core ends the pair. `dead`: no transfer completes or moves bytes any more. If the peer is only
  // out of reach, UCX may still use the bytes of an operation until it has completed it.
  void fail_pending(bool dead) noexcept;
  // The peer is dead: transfers that fail_pending() has left pending do not complete any more.
  void retire_peer() noexcept;
  // Destroys UCX's keys before UCX ends.
  void release_ucx() noexcept { remote_segments_.clear(); }

 private:
  // A put or get that UCX executes. A put completes twice: its bytes are read, and they are sure to
  // have arrived, which flush number `flush` proves.
  struct pending_op {
    transfers* owner;
    seam::transfer* what;  // null: reported as ended, but not completed by UCX
    const char* call;
    bool is_put = false;
    bool ucx_done = false;  // completed by UCX
    std::uint64_t flush = 0;
    std::list<pending_op>::iterator self{};

    [[nodiscard]] bool has_transfer() const noexcept { return what != nullptr; }
  };

  [[nodiscard]] ucp_rkey_h key_to(const void* there, std::size_t bytes) noexcept;
  pending_op* begin_op(seam::transfer& what, const char* call) noexcept;
  static ucp_request_param_t op_params(pending_op& one) noexcept;
  seam::transfer_status on_started(pending_op& one, ucs_status_ptr_t begun) noexcept;
  void on_op_complete(pending_op& one, ucs_status_t status) noexcept;
  seam::transfer* end_op(pending_op& one) noexcept;
  seam::transfer* detach_transfer(pending_op& one) noexcept;
  void end_transfers(bool all) noexcept;
  void complete_puts() noexcept;
  void send_notice(const seam::transfer& what) noexcept;
  void forget_if_idle() noexcept;
  void begin_flush() noexcept;
  void end_flush(ucs_status_t status) noexcept;

  ucx_endpoint& ep_;
  pair_state& pair_;
  seam::sender_credits& credits_;
  packed::frame_writer& frames_;
  frame_sender& out_;
  peers& peers_;
  channel_manager& manager_;
  seam::inbox& arrivals_;
  remote_segments remote_segments_;
  std::list<pending_op> all_;     // UCX has their addresses
  std::deque<pending_op*> puts_;  // of these, in order
  flush_counter flush_counter_;
  bool pending_failed_ = false;
  std::vector<std::vector<std::byte>> to_forget_;  // announcements
};

}  // namespace am::detail::ucx

// Bulk data into and out of one peer's segments. Where UCX has such memory mapped here, a copy does
// it. Elsewhere a store is a put, a flush, and then the notice: between a put and a message UCX
// keeps no order. Puts that begin while one flush is under way share the next.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <libam/seam/transport.hpp>
#include <transports/ucx/endpoint.hpp>
#include <transports/ucx/flushes.hpp>
#include <transports/ucx/keeper.hpp>
#include <transports/ucx/outgoing.hpp>
#include <transports/ucx/segments.hpp>
#include <transports/ucx/standing.hpp>

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
  transfers(endpoint& to, standing& pair, seam::sender_credits& of_pair,
            packed::frame_writer& frames, outgoing& out, peers& all, channel_keeper& keeper,
            seam::inbox& arrivals) noexcept;

  seam::reach put(seam::transfer& what) noexcept;
  seam::reach get(seam::transfer& what) noexcept;
  am_word* word_at(am_word* there) noexcept;

  // Memory that the peer tells of; false: that makes no sense.
  bool learn(std::span<const std::byte> announcement) { return theirs_.learn(announcement); }
  // It is no more; the peer hears when no transfer can be under way there.
  void forget(std::span<const std::byte> announcement);

  [[nodiscard]] bool is_empty() const noexcept { return all_.empty(); }
  // One is under way that only progress brings further.
  [[nodiscard]] bool waits() const noexcept;
  // Core gives the pair up. `dead`: none of them comes to an end, and none brings anything any
  // more. Of a peer that is only out of reach UCX has the bytes until it says that it is done with
  // them.
  void give_up(bool dead) noexcept;
  // The peer is dead. Of a pair that was given up before nothing comes to an end any more.
  void bury() noexcept;
  // Gives back what is UCX's, before that ends.
  void let_go() noexcept { theirs_.clear(); }

 private:
  // A put or get that UCX carries. A put is over twice: its bytes are read, and they are sure to
  // have arrived, which flush number `flush` tells.
  struct transit {
    transfers* of;
    seam::transfer* what;  // null: it has ended, but not for UCX
    const char* call;
    bool is_put = false;
    bool over = false;  // as UCX sees it
    std::uint64_t flush = 0;
    std::list<transit>::iterator self{};

    [[nodiscard]] bool is_carried() const noexcept { return what != nullptr; }
  };

  [[nodiscard]] ucp_rkey_h key_to(const void* there, std::size_t bytes) noexcept;
  transit* begin_transit(seam::transfer& what, const char* call) noexcept;
  static ucp_request_param_t of_transit(transit& one) noexcept;
  seam::reach carry(transit& one, ucs_status_ptr_t begun) noexcept;
  void has_moved(transit& one, ucs_status_t status) noexcept;
  seam::transfer* end_transit(transit& one) noexcept;
  seam::transfer* let_go(transit& one) noexcept;
  void abandon(bool all) noexcept;
  void end_puts() noexcept;
  void notify(const seam::transfer& what) noexcept;
  void settle() noexcept;
  void begin_flush() noexcept;
  void end_flush(ucs_status_t status) noexcept;

  endpoint& to_;
  standing& pair_;
  seam::sender_credits& credits_;
  packed::frame_writer& frames_;
  outgoing& out_;
  peers& peers_;
  channel_keeper& keeper_;
  seam::inbox& arrivals_;
  remote_segments theirs_;
  std::list<transit> all_;     // where they are UCX knows
  std::deque<transit*> puts_;  // of these, in order
  flushes flushes_;
  bool given_up_ = false;
  std::vector<std::vector<std::byte>> to_forget_;  // announcements
};

}  // namespace am::detail::ucx

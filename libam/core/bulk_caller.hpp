// The calls on bulk data that this rank has made, after they have returned: they begin, perhaps
// behind others to the same rank (call_queue.cpp, begin_calls.cpp), and end when a transport
// reports the end or the other side answers (call_replies.cpp). Nothing here waits.
#pragma once

#include <libam/core/dispatcher.hpp>
#include <libam/core/nonblocking_sender.hpp>
#include <libam/core/pending_calls.hpp>
#include <libam/core/release_memory.hpp>
#include <libam/core/segments.hpp>

#include <new>
#include <vector>

namespace am::detail::core {

[[gnu::cold]] am_status no_memory_for_call(am_rank peer);

class bulk_caller {
 public:
  bulk_caller(dispatcher& dispatcher, peers& peers, nonblocking_sender& sender,
              segments& own_segments, completion_queue& completions)
      : dispatcher_(dispatcher),
        peers_(peers),
        sender_(sender),
        segments_(own_segments),
        completions_(completions),
        pending_(peers.ranks()) {}

  std::uint32_t gets_for_later = 0;  // those that have not ended

  [[nodiscard]] pending_calls& pending() noexcept { return pending_; }
  [[nodiscard]] const pending_calls& pending() const noexcept { return pending_; }

  // ---- call_queue.cpp ----
  am_status add(pending_call::kind what, am_rank peer, pending_call*& out) {
    try {
      out = &pending_.add(what, peer);
      return AM_OK;
    } catch (const std::bad_alloc&) {
      return no_memory_for_call(peer);
    }
  }
  // Begins now, or when those before it have begun. On an error there is no call any more.
  am_status begin_or_queue(pending_call& one);
  // Calls to a rank begin in their order, as long as there are credits and room.
  void begin_waiting() noexcept;
  void end(pending_call& one, am_status reason, bool unknown) noexcept;
  // Inside a transport's call: no handler runs here.
  void on_transfer_end(seam::transfer& moved) noexcept;
  // `rank` is dead, and its port has reported every request.
  void fail_calls(am_rank rank) noexcept;
  // The port reports the request of an atomic operation as lost.
  void fail_requested_atomic(std::size_t number, am_rank at, am_status reason,
                             bool unknown) noexcept;

  // ---- begin_calls.cpp: the parts of a store, also for a caller that waits ----
  // Room for the messages of stores that go on in polls, where an error has no caller. Throws.
  void reserve_messages();
  // Takes a credit, and puts it back where no notice follows. Returns the status of the put.
  seam::transfer_status begin_put(pending_call& one) noexcept;
  // Sends what is left of it, as far as there is room. Again: there is more.
  am_status send_pieces(pending_call& one);
  // No bytes have to be moved, or a plain copy moves them.
  [[nodiscard]] bool needs_only_notice(const pending_call& one) const noexcept;
  // A credit is free.
  void send_only_notice(const pending_call& one) noexcept;
  [[nodiscard]] static am_status refuse_remote_address(const char* what, const pending_call& one);
  [[nodiscard]] static am_status refuse_local_address(const char* what, const pending_call& one);

  // ---- call_replies.cpp ----
  void handle_got(const am_word* words, const void* data, std::size_t bytes) noexcept;
  void handle_get_failed(const am_word* words) noexcept;
  void handle_atomic_end(const am_word* words, am_status reason) noexcept;

  void release_memory() noexcept {
    pending_ = pending_calls(0);
    free_containers(message_);
  }

 private:
  am_status begin(pending_call& one);
  seam::transfer_status begin_transfer(pending_call& one,
                                       seam::transfer_status (seam::port::*how)(seam::transfer&));
  void on_route_lost(pending_call& one) noexcept;
  am_status begin_store(pending_call& one);
  am_status begin_get(pending_call& one);
  am_status request_get(pending_call& one);
  am_status begin_atomic(pending_call& one);
  am_status begin_request(pending_call& one);
  [[nodiscard]] pending_call* find_requested(pending_call::kind what, am_word number) noexcept;
  void finish_streamed_get(pending_call& get, const void* where, std::size_t bytes) noexcept;

  dispatcher& dispatcher_;
  peers& peers_;
  nonblocking_sender& sender_;
  segments& segments_;
  completion_queue& completions_;
  pending_calls pending_;
  std::vector<std::byte> message_;  // the last one of a store, while it is composed
};

}  // namespace am::detail::core

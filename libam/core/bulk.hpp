// Bulk data of this rank: the calls that it has made, the gets of others that it serves, and what
// runs when a call has ended. This class decides when each of them is tried again.
//
// Where no transport reaches the other side's memory, data goes in messages: requests to handlers
// of libam's own (library_handlers.hpp).
//   store    "piece" … "piece" "store": the last one has the notice and the rest of the bytes
//   get      "get" there; "got" … "got" come back as the other side finds credits, or one "got"
//            that reports bytes which a stream has brought; or "get failed"
//   atomic   "atomic" there; its reply is "atomic done" or "atomic failed"
#pragma once

#include <libam/core/bulk_caller.hpp>
#include <libam/core/bulk_server.hpp>

namespace am::detail::core {

class bulk {
 public:
  bulk(dispatcher& dispatcher, callbacks& program_callbacks, peers& peers,
       transport_set& transports, poll_clock& clock)
      : clock_(clock),
        peers_(peers),
        sender(peers, clock),
        own_segments(transports),
        completions(dispatcher, program_callbacks),
        caller(dispatcher, peers, sender, own_segments, completions),
        server(dispatcher, peers, sender, own_segments) {}

  // To be done before the transports are polled.
  [[nodiscard]] bool has_work() const noexcept {
    return !completions.empty() || own_segments.has_pending_free();
  }
  // Returns how many completions have run.
  unsigned work(unsigned budget) noexcept {
    if (own_segments.has_pending_free()) own_segments.finish_frees();
    return completions.run(budget);
  }

  // Something waits for credits, for room or for a route.
  [[nodiscard]] bool has_waiting() const noexcept {
    return server.has_pending() || !caller.pending().waiting_ranks().empty();
  }
  // Sends what it can without waiting: answers first, then calls.
  void send_waiting() noexcept {
    sender.next_round();
    server.serve();
    caller.begin_waiting();
  }

  // One poll of a peer's port. A caller in a flood makes many, and may never poll the endpoint:
  // what waits goes with the credits that these polls bring back.
  void poll_once(am_rank with) noexcept {
    peers_.port(with).poll_once();
    send_after_poll();
  }
  void send_after_poll() noexcept {
    if (has_waiting()) [[unlikely]]
      send_waiting_throttled();
  }
  // The next poll_once() tries at once. What waits has not been tried, so no event of a transport
  // follows.
  void try_at_next_poll() noexcept {
    polls_to_skip_ = 0;
    clock_.note_unannounced();
  }

  // A transport has ended a transfer.
  void on_transfer_end(seam::transfer& one) noexcept {
    if (one.number == served_transfer_number)
      server.on_transfer_end(one);
    else
      caller.on_transfer_end(one);
  }
  // Is this memory known to be mapped, for data from `rank`?
  [[nodiscard]] bool is_known_mapped(am_rank rank, const void* where,
                                     std::size_t bytes) const noexcept {
    return own_segments.contains(where, bytes) ||
           caller.pending().has_requested_get_into(rank, where, bytes);
  }

  // Nothing is in flight, and nothing has to run.
  [[nodiscard]] bool is_quiescent() const noexcept {
    return completions.empty() && !server.has_pending() && caller.pending().empty();
  }

  void release_memory() noexcept {
    sender.release_memory();
    completions.clear();
    caller.release_memory();
    server.release_memory();
  }

 private:
  // A try may be a system call, or first contact: polls that are to cost nothing make few of them
  // in vain. What a poll has brought without a try causes no further event.
  [[gnu::noinline]] void send_waiting_throttled() noexcept {
    constexpr unsigned polls_between_tries = 32;
    if (polls_to_skip_ != 0) {
      --polls_to_skip_;
      return clock_.note_unannounced();
    }
    send_waiting();
    if (has_waiting() && !server.can_serve()) polls_to_skip_ = polls_between_tries;
  }

  poll_clock& clock_;
  peers& peers_;
  unsigned polls_to_skip_ = 0;  // before the next try

 public:
  nonblocking_sender sender;
  segments own_segments;
  completion_queue completions;
  bulk_caller caller;
  bulk_server server;
};

}  // namespace am::detail::core

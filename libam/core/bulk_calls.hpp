// The calls on bulk data as a program makes them: checks, the order of stores to one rank, and
// waiting where the call waits (store.cpp, get.cpp).
#pragma once

#include <libam/core/requests.hpp>

namespace am::detail::core {

class bulk_calls {
 public:
  bulk_calls(dispatcher& dispatcher, peers& peers, transport_set& transports, bulk& bulk,
             progress& poll_loop, requests& requester) noexcept
      : dispatcher_(dispatcher),
        peers_(peers),
        transports_(transports),
        bulk_(bulk),
        progress_(poll_loop),
        requests_(requester) {}

  // ---- store.cpp ----
  am_status store(am_rank to, void* where, const void* data, std::size_t bytes,
                  const am_handler* handler, const am_word* words);
  am_status try_store(am_rank to, void* where, const void* data, std::size_t bytes,
                      const am_handler* handler, const am_word* words);
  am_status store_async(am_rank to, void* where, const void* data, std::size_t bytes,
                        const am_handler* handler, const am_word* words, const am_handler* done,
                        am_word done_word);
  // Hands all that was accepted to the system.
  am_status flush();
  // Waits until what was stored there can be read, and its notices have been accepted.
  am_status fence(am_rank rank);

  // ---- get.cpp ----
  am_status get(am_rank from, const void* where, void* to, std::size_t bytes,
                const am_handler* done, const am_word* words);
  // The same for a handler: it begins in the next poll.
  am_status get_later(am_rank from, const void* where, void* to, std::size_t bytes,
                      const am_handler* done, const am_word* words);
  // How many of them have not ended.
  [[nodiscard]] std::uint32_t gets_for_later() const noexcept {
    return bulk_.caller.gets_for_later;
  }
  am_status atomic(am_rank at, am_word* where, am_atomic_op op, am_word operand, am_word expected,
                   const am_handler* done, const am_word* words);

  // ---- segments (store.cpp) ----
  am_status make_segment(std::size_t bytes, void** address);
  // Waits until the memory of all freed segments is free: a new segment may need it.
  am_status wait_for_frees() noexcept;

 private:
  am_status check(const char* call, am_rank at, const void* where, const void* mine,
                  std::size_t bytes, const am_handler* handler) const;
  am_status add(pending_call::kind what, am_rank peer, pending_call*& out);
  am_status add_store(am_rank to, void* where, const void* data, std::size_t bytes,
                      const am_handler* handler, const am_word* words, pending_call*& out);
  am_status transfer_store(pending_call& one, bool wait);
  am_status acquire_store_turn(am_rank to, bool wait);
  am_status move_bytes(pending_call& one, bool wait);
  am_status send_pieces(pending_call& one, bool wait);
  void count_store(am_rank to, std::size_t bytes) noexcept;

  dispatcher& dispatcher_;
  peers& peers_;
  transport_set& transports_;
  bulk& bulk_;
  progress& progress_;
  requests& requests_;
};

}  // namespace am::detail::core

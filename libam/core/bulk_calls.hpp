// The calls on bulk data as a program makes them: checks, the turn behind others, and waiting where
// the call waits (store.cpp, get.cpp).
#pragma once

#include <libam/core/requests.hpp>

namespace am::detail::core {

class bulk_calls {
 public:
  bulk_calls(dispatcher& messages, peers& to, transport_set& transports, bulk& data,
             progress& turns, requests& by) noexcept
      : dispatcher_(messages),
        peers_(to),
        transports_(transports),
        bulk_(data),
        progress_(turns),
        requests_(by) {}

  // ---- store.cpp ----
  am_status store(am_rank to, void* where, const void* data, std::size_t bytes,
                  const am_handler* handler, const am_word* words);
  am_status try_store(am_rank to, void* where, const void* data, std::size_t bytes,
                      const am_handler* handler, const am_word* words);
  am_status store_async(am_rank to, void* where, const void* data, std::size_t bytes,
                        const am_handler* handler, const am_word* words, const am_handler* done,
                        am_word then);
  // All that was accepted is handed to the system.
  am_status flush();
  // What was stored there can be read and has been told of.
  am_status fence(am_rank rank);

  // ---- get.cpp ----
  am_status get(am_rank from, const void* where, void* to, std::size_t bytes,
                const am_handler* done, const am_word* words);
  // The same for a handler: it begins in the next poll or look.
  am_status get_later(am_rank from, const void* where, void* to, std::size_t bytes,
                      const am_handler* done, const am_word* words);
  // Those of them that have not ended, whether well or not.
  [[nodiscard]] std::uint32_t gets_for_later() const noexcept { return bulk_.made.gets_for_later; }
  am_status atomic(am_rank at, am_word* where, am_atomic_op op, am_word operand, am_word expected,
                   const am_handler* done, const am_word* words);

  // ---- segments (store.cpp) ----
  am_status make_segment(std::size_t bytes, void** address);
  // The room of those may be needed.
  am_status wait_for_abandoned() noexcept;

 private:
  am_status check(const char* call, am_rank at, const void* where, const void* mine,
                  std::size_t bytes, const am_handler* handler) const;
  am_status add(call::kind what, am_rank peer, call*& out);
  am_status add_store(am_rank to, void* where, const void* data, std::size_t bytes,
                      const am_handler* handler, const am_word* words, call*& out);
  am_status place(call& one, bool wait);
  am_status turn_of_store(am_rank to, bool wait);
  am_status move(call& one, bool wait);
  am_status send_pieces(call& one, bool wait);
  void count_store(am_rank to, std::size_t bytes) noexcept;

  dispatcher& dispatcher_;
  peers& peers_;
  transport_set& transports_;
  bulk& bulk_;
  progress& progress_;
  requests& requests_;
};

}  // namespace am::detail::core

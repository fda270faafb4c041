// The calls on bulk data that this rank has made, after they have returned: they begin, perhaps
// behind others to the same rank (call.cpp, begin.cpp), and end when a transport says so or the
// other side answers (answered.cpp). Nothing here waits.
#pragma once

#include <libam/core/calls.hpp>
#include <libam/core/dispatcher.hpp>
#include <libam/core/give_back.hpp>
#include <libam/core/segments.hpp>
#include <libam/core/sender.hpp>

#include <new>
#include <vector>

namespace am::detail::core {

[[gnu::cold]] am_status no_memory_for_call(am_rank peer);

class bulk_caller {
 public:
  bulk_caller(dispatcher& messages, peers& to, sender& by, segments& own, completion_queue& ended)
      : dispatcher_(messages),
        peers_(to),
        sender_(by),
        segments_(own),
        completions_(ended),
        pending_(to.ranks()) {}

  std::uint32_t gets_for_later = 0;  // those that have not ended

  [[nodiscard]] calls& pending() noexcept { return pending_; }
  [[nodiscard]] const calls& pending() const noexcept { return pending_; }

  // ---- call.cpp ----
  am_status add(call::kind what, am_rank peer, call*& out) {
    try {
      out = &pending_.add(what, peer);
      return AM_OK;
    } catch (const std::bad_alloc&) {
      return no_memory_for_call(peer);
    }
  }
  // Now, or when those before it have begun. An error is the caller's, and there was no call.
  am_status begin_in_turn(call& one);
  // Calls to a rank begin in their order, for as long as there are credits and room.
  void begin_waiting() noexcept;
  void end(call& one, am_status reason, bool unknown) noexcept;
  // Inside a transport's call: no handler runs here.
  void transferred(seam::transfer& moved) noexcept;
  // `rank` is dead, and its port has told of every request.
  void lose(am_rank rank) noexcept;
  // So says the port about one of these.
  void lose_asked_atomic(std::size_t number, am_rank at, am_status reason, bool unknown) noexcept;

  // ---- begin.cpp: of a store, for one that waits for it ----
  // Room for the messages of stores that go on in polls, which have nobody to tell. Throws.
  void reserve_messages();
  // With a credit, which is there again where there is no notice. Says how the put stands.
  seam::reach begin_put(call& one) noexcept;
  // What is left of it, as far as there is room. Again: there is more.
  am_status send_pieces(call& one);
  // Nothing has to be moved, or a plain copy does it.
  [[nodiscard]] bool is_notice_alone(const call& one) const noexcept;
  // With a credit.
  void send_notice_alone(const call& one) noexcept;
  [[nodiscard]] static am_status bad_address(const char* what, const call& one);
  [[nodiscard]] static am_status bad_own_address(const char* what, const call& one);

  // ---- answered.cpp ----
  void get_has_come(const am_word* words, const void* data, std::size_t bytes) noexcept;
  void get_has_failed(const am_word* words) noexcept;
  void atomic_has_ended(const am_word* words, am_status reason) noexcept;

  void give_back_memory() noexcept {
    pending_ = calls(0);
    give_back_room(message_);
  }

 private:
  am_status begin(call& one);
  seam::reach begin_transfer(call& one, seam::reach (seam::port::*how)(seam::transfer&));
  void lose_way(call& one) noexcept;
  am_status begin_store(call& one);
  am_status begin_get(call& one);
  am_status ask(call& one);
  am_status begin_atomic(call& one);
  am_status begin_request(call& one);
  [[nodiscard]] call* asked_of_source(call::kind what, am_word number) noexcept;
  void get_has_moved(call& get, const void* where, std::size_t bytes) noexcept;

  dispatcher& dispatcher_;
  peers& peers_;
  sender& sender_;
  segments& segments_;
  completion_queue& completions_;
  calls pending_;
  std::vector<std::byte> message_;  // the last one of a store, being put together
};

}  // namespace am::detail::core

// Requests that may have to wait: for first contact, for a credit, for room. The small request that
// finds a credit stands in endpoint.hpp.
#pragma once

#include <libam/core/progress.hpp>

namespace am::detail::core {

class requests {
 public:
  requests(dispatcher& messages, peers& to, bulk& data, progress& turns) noexcept
      : dispatcher_(messages), peers_(to), bulk_(data), progress_(turns) {}

  [[nodiscard]] bool acceptable(am_rank to, const am_handler* handler) const noexcept {
    return dispatcher_.in_order() && peers_.has(to) && dispatcher_.knows(handler);
  }
  [[gnu::cold]] am_status refuse(const char* call, am_rank to, const am_handler* handler) const;

  // ---- request.cpp ----
  // A credit free, for which it polls. These run posted functions: what their caller knew of
  // the rank and the calls to it may have changed.
  am_status wait_for_credit(am_rank to);
  // A port that is no longer nowhere, for which it polls.
  am_status make_contact(am_rank to);
  // One turn of a call that waits for a credit or for room; such a call counts once.
  [[nodiscard]] am_status wait_for_room(am_rank to, blocked& here, bool& counted,
                                        const char* call = "a request");
  [[nodiscard]] occupation& doing() noexcept { return progress_.doing(); }

  am_status try_request(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                        am_word w3);
  am_status medium(am_rank to, const am_handler* handler, const void* data, std::size_t bytes,
                   const am_word* words);
  am_status try_medium(am_rank to, const am_handler* handler, const void* data, std::size_t bytes,
                       const am_word* words);
  // With room for the answer; null and no bytes: no payload. These two throw std::bad_alloc.
  am_status with_room(am_rank to, const am_handler* handler, const void* data, std::size_t bytes,
                      std::size_t room, const am_word* words);
  am_status try_with_room(am_rank to, const am_handler* handler, const void* data,
                          std::size_t bytes, std::size_t room, const am_word* words);

  // ---- later.cpp: what a handler may ask for ----
  am_status later(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                  am_word w3);
  // From now on nobody may.
  void end_later() noexcept { leaves_ = true; }

 private:
  am_status check_medium(const char* call, am_rank to, const am_handler* handler, const void* data,
                         std::size_t bytes) const;
  // Of `room` bytes, which may be none.
  am_status send_with_room(am_rank to, const am_handler& handler, const void* data,
                           std::size_t bytes, std::size_t room, const am_word* words);
  am_status check_room(const char* call, am_rank to, const am_handler* handler, const void* data,
                       std::size_t bytes, std::size_t room) const;
  [[gnu::cold]] am_status refuse_later(am_rank to, const am_handler* handler) const;

  dispatcher& dispatcher_;
  peers& peers_;
  bulk& bulk_;
  progress& progress_;
  bool leaves_ = false;  // in the last fence of a close
};

}  // namespace am::detail::core

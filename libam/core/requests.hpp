// Requests that may have to wait: for first contact, for a credit, for room. The small request that
// finds a credit is in endpoint.hpp.
#pragma once

#include <libam/core/progress.hpp>

namespace am::detail::core {

class requests {
 public:
  requests(dispatcher& dispatcher, peers& peers, bulk& bulk, progress& poll_loop) noexcept
      : dispatcher_(dispatcher), peers_(peers), bulk_(bulk), progress_(poll_loop) {}

  [[nodiscard]] bool is_valid_request(am_rank to, const am_handler* handler) const noexcept {
    return dispatcher_.may_call() && peers_.has(to) && dispatcher_.is_numbered(handler);
  }
  [[gnu::cold]] am_status refuse(const char* call, am_rank to, const am_handler* handler) const;

  // ---- request.cpp ----
  [[nodiscard]] bool has_credit(am_rank to) { return bulk_.sender.find_credit(to) == AM_OK; }
  // Polls until a credit is free. These three run posted functions, which may change the state of
  // the rank and of the calls to it.
  am_status wait_for_credit(am_rank to);
  // Polls until first contact has been made.
  am_status make_contact(am_rank to);
  // One step of a call that waits for a credit or for room; counts such a call once.
  [[nodiscard]] am_status wait_for_room(am_rank to, wait_scope& here, bool& counted,
                                        const char* call = "a request");
  // Returns the status of a call that never waits; in a trace one that is to be repeated counts.
  am_status note_retry(am_status status) noexcept {
    const bool again = am_status_reason(status) == AM_REASON_AGAIN;
    if (again && current_wait().trace() != nullptr) [[unlikely]]
      current_wait().trace()->count_retry();
    return status;
  }
  [[nodiscard]] wait_place& current_wait() noexcept { return progress_.current_wait(); }

  am_status try_request(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                        am_word w3);
  am_status medium(am_rank to, const am_handler* handler, const void* data, std::size_t bytes,
                   const am_word* words);
  am_status try_medium(am_rank to, const am_handler* handler, const void* data, std::size_t bytes,
                       const am_word* words);
  // With room for the answer; null and no bytes: no payload. These two throw std::bad_alloc.
  // Without room it is a medium or a small request.
  am_status request_with_room(am_rank to, const am_handler* handler, const void* data,
                              std::size_t bytes, std::size_t room, const am_word* words);
  am_status try_request_with_room(am_rank to, const am_handler* handler, const void* data,
                                  std::size_t bytes, std::size_t room, const am_word* words);

  // ---- later.cpp: the request that a handler may make ----
  am_status later(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                  am_word w3);
  // From now on later() is refused.
  void disable_later() noexcept { is_leaving_ = true; }

 private:
  am_status check_medium(const char* call, am_rank to, const am_handler* handler, const void* data,
                         std::size_t bytes) const;
  // `room` may be 0.
  am_status send_with_room(am_rank to, const am_handler& handler, const void* data,
                           std::size_t bytes, std::size_t room, const am_word* words);
  am_status check_room(const char* call, am_rank to, const am_handler* handler, const void* data,
                       std::size_t bytes, std::size_t room) const;
  [[gnu::cold]] am_status refuse_later(am_rank to, const am_handler* handler) const;

  dispatcher& dispatcher_;
  peers& peers_;
  bulk& bulk_;
  progress& progress_;
  bool is_leaving_ = false;  // in the fence of a close
};

}  // namespace am::detail::core

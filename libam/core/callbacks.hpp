// The program's callbacks for what no handler of its own receives: its messages that came back, and
// deaths of ranks.
#pragma once

#include <libam/core/dispatcher.hpp>

namespace am::detail::core {

class callbacks {
 public:
  callbacks(membership& membership, dispatcher& dispatcher) noexcept
      : membership_(membership), dispatcher_(dispatcher) {}

  void on_undeliverable(am_undeliverable_fn* fn, void* arg) noexcept {
    undeliverable_ = fn;
    undeliverable_arg_ = arg;
  }
  void on_peer_failure(am_peer_failure_fn* fn, void* arg) noexcept {
    peer_failure_ = fn;
    peer_failure_arg_ = arg;
  }

  // The request that the running batch has returned. Without a callback the job ends.
  void report_undeliverable(am_status reason, const am_word* words, bool unknown) noexcept;
  void report_peer_failure(am_rank peer) noexcept;

 private:
  membership& membership_;
  dispatcher& dispatcher_;
  am_undeliverable_fn* undeliverable_ = nullptr;
  void* undeliverable_arg_ = nullptr;
  am_peer_failure_fn* peer_failure_ = nullptr;
  void* peer_failure_arg_ = nullptr;
};

}  // namespace am::detail::core

// What the program hears beside its handlers' messages: of its own that came back, and of deaths.
#pragma once

#include <libam/core/dispatcher.hpp>

namespace am::detail::core {

class callbacks {
 public:
  callbacks(membership& in, dispatcher& from) noexcept : in_(in), dispatcher_(from) {}

  void on_undeliverable(am_undeliverable_fn* fn, void* arg) noexcept {
    undeliverable_ = fn;
    undeliverable_arg_ = arg;
  }
  void on_peer_failure(am_peer_failure_fn* fn, void* arg) noexcept {
    peer_failure_ = fn;
    peer_failure_arg_ = arg;
  }

  // The request that the running batch has given back. Without a callback it ends the job.
  void undeliverable(am_status reason, const am_word* words, bool unknown) noexcept;
  void peer_failure(am_rank peer) noexcept;

 private:
  membership& in_;
  dispatcher& dispatcher_;
  am_undeliverable_fn* undeliverable_ = nullptr;
  void* undeliverable_arg_ = nullptr;
  am_peer_failure_fn* peer_failure_ = nullptr;
  void* peer_failure_arg_ = nullptr;
};

}  // namespace am::detail::core

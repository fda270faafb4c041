// With AM_PROGRESS=thread: the thread that owns an endpoint, as other threads see it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace am::detail::messages {

/// A call that another thread has handed over: on the stack of that thread.
struct handed {
  void (*run)(handed& self) noexcept;
};

/// With AM_PROGRESS=thread: the owner of the endpoint, and what other threads wait for.
struct progress_thread {
  std::thread runs;
  std::thread::id id;                     // as the thread has found it, before `owns`
  std::atomic<bool> owns = false;         // it has taken the endpoint over
  bool stops = false;                     // changed by a handed call
  std::atomic<std::uint32_t> events = 0;  // goes up with all that a call may wait for

  void note_event() noexcept {
    // SYNC(event): with the acquire in wait_for_event. What has happened before is seen there.
    events.fetch_add(1, std::memory_order_release);
    events.notify_all();
  }
  void add(handed& call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(&call);
  }
  [[nodiscard]] bool has_calls() {
    const std::lock_guard lock(mutex_);
    return !calls_.empty();
  }
  /// Makes the calls that have been handed over, outside of every call of libam's.
  void make_calls() {
    std::vector<handed*> now;
    {
      const std::lock_guard lock(mutex_);
      now.swap(calls_);
    }
    for (handed* const one : now) one->run(*one);
  }

 private:
  std::mutex mutex_;
  std::vector<handed*> calls_;
};

}  // namespace am::detail::messages

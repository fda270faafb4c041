// Functions that other threads and handlers post to the endpoint's owner: a lock-free queue of
// fixed size, and one word of state: empty, filled, or empty while the owner sleeps.
#pragma once

#include <am/types.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace am::detail::core {

class sleeper;

struct posted_function {
  void (*fn)(void* arg);
  void* arg;
};

class post_queue {
 public:
  // `owner` is woken when something is put in while the owner sleeps.
  explicit post_queue(sleeper& owner);
  ~post_queue();

  // ---- from any thread ----

  // AM_OK, again(queue) when it is full, or why it was closed.
  am_status put(posted_function what) noexcept;

  // ---- from the owner ----

  // One load: every poll calls this.
  [[nodiscard]] bool has_pending() const noexcept {
    return state_.load(std::memory_order_relaxed) == state::filled;
  }
  // The oldest one; false: there is none.
  bool take(posted_function& out) noexcept;
  // False: the queue is not empty. True: the next put() wakes the owner.
  bool begin_sleep() noexcept;
  void end_sleep() noexcept;
  // Nothing can be put in any more. On return no thread is inside put().
  void close(am_status why) noexcept;
  // After close(): frees the queue, and returns how many functions were in it.
  unsigned discard() noexcept;
  // Closes it in the child of a fork, where no other thread runs.
  void on_fork() noexcept { active_puts_.store(closed_bit, std::memory_order_relaxed); }

  static constexpr unsigned capacity = 1024;

 private:
  enum class state : std::uint32_t { empty, filled, asleep };
  struct queue;

  am_status add(posted_function what) noexcept;

  static constexpr std::uint32_t closed_bit = 1U << 31;

  std::atomic<state> state_{state::empty};
  std::atomic<std::uint32_t> active_puts_{0};             // threads inside put(), and `closed_bit`
  std::atomic<am_status> close_reason_{AM_USAGE_FORKED};  // until it is closed
  sleeper& owner_;
  std::unique_ptr<queue> queue_;
};

}  // namespace am::detail::core

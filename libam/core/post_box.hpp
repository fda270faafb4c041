// Functions that other threads and handlers hand to the endpoint's owner: a fixed lock-free queue,
// and one word that says whether there is anything in it and whether its owner sleeps.
#pragma once

#include <am/types.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace am::detail::core {

class sleeper;

struct posted {
  void (*fn)(void* arg);
  void* arg;
};

class post_box {
 public:
  // `owner` is rung when something is put in while its owner sleeps.
  explicit post_box(sleeper& owner);
  ~post_box();

  // ---- from any thread ----

  // AM_OK, again(queue) when it is full, or why it was shut.
  am_status put(posted what) noexcept;

  // ---- the owner's ----

  // One load, which every poll can afford.
  [[nodiscard]] bool has_some() const noexcept {
    return word_.load(std::memory_order_relaxed) == word::filled;
  }
  // The oldest one; false: there is none.
  bool take(posted& out) noexcept;
  // False: there is something. Otherwise whoever puts something in from now on rings.
  bool falls_asleep() noexcept;
  void wakes_up() noexcept;
  // Nothing can be put in any more. On return nobody is inside put().
  void shut(am_status why) noexcept;
  // After it was shut: says how many functions go with it.
  unsigned discard() noexcept;
  // The same in the child of a fork, where nobody else runs.
  void forked() noexcept { visitors_.store(closed, std::memory_order_relaxed); }

  static constexpr unsigned places = 1024;

 private:
  enum class word : std::uint32_t { empty, filled, asleep };
  struct queue;

  am_status add(posted what) noexcept;

  static constexpr std::uint32_t closed = 1U << 31;

  std::atomic<word> word_{word::empty};
  std::atomic<std::uint32_t> visitors_{0};            // threads inside put(), and the bit `closed`
  std::atomic<am_status> why_shut_{AM_USAGE_FORKED};  // until somebody says why
  sleeper& owner_;
  std::unique_ptr<queue> queue_;
};

}  // namespace am::detail::core

// Waiting that gets nowhere: what a rank says when a peer that owes it answers has let
// AM_STALL_WARN pass without a sign of life. A rank to which nothing is owed waits for good reason,
// as far as it can know.
#pragma once

#include <libam/core/exposure.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace am::detail::core {

// A call that waits, from its first vain turn to its end. Costs a turn one addition.
class blocked {
 public:
  using clock = std::chrono::steady_clock;

  explicit blocked(const char* call, occupation& shown) noexcept : call_(call), shown_(shown) {}
  blocked(const char* call, am_rank peer, occupation& shown) noexcept
      : call_(call), peer_(peer), has_peer_(true), shown_(shown) {}
  ~blocked() {
    if (since_ != clock::time_point{}) [[unlikely]]
      shown_ = {};
  }
  blocked(const blocked&) = delete;
  blocked& operator=(const blocked&) = delete;

  [[nodiscard]] const char* call() const noexcept { return call_; }
  [[nodiscard]] clock::time_point since() const noexcept { return since_; }

  // Is it time to look at the clock? Before every sleep it is.
  [[nodiscard]] bool has_turned_long() noexcept { return ++turns_ % 1024 == 0; }
  // Is it time to look at the peers? Also shows what this rank waits in.
  [[nodiscard]] bool look_is_due(clock::duration interval) noexcept;

 private:
  const char* call_;
  am_rank peer_ = 0;
  bool has_peer_ = false;
  unsigned turns_ = 0;
  clock::time_point since_{};
  clock::time_point next_look_{};
  occupation& shown_;
};

// What is known of one peer's progress.
struct progress {
  std::uint64_t signs = 0;  // answers and messages of it: a number that moves
  blocked::clock::time_point since{};
  bool told = false;
};

struct stall_watch {
  std::chrono::seconds limit{};  // 0: never
  std::vector<progress> peers;   // by rank

  // So often the peers are looked at.
  [[nodiscard]] blocked::clock::duration interval() const noexcept {
    return std::min<blocked::clock::duration>(limit / 4, std::chrono::seconds(1));
  }
};

}  // namespace am::detail::core

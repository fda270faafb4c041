// Waiting that gets nowhere: what a rank says when a peer that owes it answers, or for which a call
// waits, has let AM_STALL_WARN pass without a sign of life. A rank to which nothing is owed waits
// for good reason, as far as it can know.
#pragma once

#include <libam/core/exposure.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace am::detail::core {

// A call that waits. Until its first look around it has nothing but its place on the stack.
class blocked {
 public:
  using clock = std::chrono::steady_clock;

  explicit blocked(occupation& shown) noexcept : shown_(shown) {}
  ~blocked() {
    if (since_ != clock::time_point{}) [[unlikely]]
      shown_ = {};
  }
  blocked(const blocked&) = delete;
  blocked& operator=(const blocked&) = delete;

  // Since its first look around.
  [[nodiscard]] clock::time_point since() const noexcept { return since_; }
  // Shows what this rank waits in. Says whether that is the first look around.
  bool show(const char* call, const am_rank* peer, clock::time_point now) noexcept;

 private:
  clock::time_point since_{};
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
  blocked::clock::time_point next_look{};

  // So often the peers are looked at.
  [[nodiscard]] blocked::clock::duration interval() const noexcept {
    return std::min<blocked::clock::duration>(std::chrono::milliseconds(limit) / 4,
                                              std::chrono::seconds(1));
  }
};

}  // namespace am::detail::core

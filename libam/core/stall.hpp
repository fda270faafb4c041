// Waiting that gets nowhere: what a rank says when a peer that owes it answers, or for which a call
// waits, has let AM_STALL_WARN pass without a sign of life. A rank to which nothing is owed waits
// for good reason, as far as it can know.
#pragma once

#include <libam/core/bulk.hpp>
#include <libam/core/exposure.hpp>
#include <libam/core/give_back.hpp>

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

class stall_watch {
 public:
  stall_watch(std::chrono::seconds limit, dispatcher& messages, peers& of, bulk& with)
      : limit_(limit), dispatcher_(messages), peers_(of), bulk_(with), seen_(of.ranks()) {}

  // In a call that waits, now and then; `peer`: the one that it waits for, if it is one.
  [[gnu::cold]] void look_around(blocked& here, const char* call, const am_rank* peer) noexcept;
  // What such a call shows, to am-info, too.
  [[nodiscard]] occupation& doing() noexcept { return shown_.doing; }
  // All that another process may see of this rank.
  [[nodiscard]] exposure& shown() noexcept { return shown_; }
  void give_back_memory() noexcept { give_back_room(seen_); }

 private:
  // What is known of one peer's progress.
  struct progress {
    std::uint64_t signs = 0;  // its messages, answers and ends of calls: a number that moves
    blocked::clock::time_point since{};
    bool told = false;
  };

  // So often the peers are looked at.
  [[nodiscard]] blocked::clock::duration interval() const noexcept {
    return std::min<blocked::clock::duration>(std::chrono::milliseconds(limit_) / 4,
                                              std::chrono::seconds(1));
  }
  [[nodiscard]] std::size_t owed_by(am_rank rank) noexcept;
  [[nodiscard]] std::uint64_t signs_of_life(am_rank rank) const noexcept;
  [[nodiscard]] std::string describe_debtor(am_rank rank, std::size_t owed) const;

  const std::chrono::seconds limit_;  // 0: never
  exposure shown_;
  dispatcher& dispatcher_;
  peers& peers_;
  bulk& bulk_;
  std::vector<progress> seen_;  // by rank
  blocked::clock::time_point next_look_{};
};

}  // namespace am::detail::core

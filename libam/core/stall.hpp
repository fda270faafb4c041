// Stalls: what a rank logs when a peer with unanswered requests, or for which a call waits, has
// shown no progress for AM_STALL_WARN. A rank without either waits for good reason, as far as it
// can know.
#pragma once

#include <libam/core/bulk.hpp>
#include <libam/core/exposure.hpp>
#include <libam/core/release_memory.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace am::detail::core {

// A call that waits. Until its first check it costs nothing but its place on the stack.
class wait_scope {
 public:
  using clock = std::chrono::steady_clock;

  explicit wait_scope(wait_record& record) noexcept : record_(record) {}
  ~wait_scope() {
    if (since_ != clock::time_point{}) [[unlikely]]
      record_ = {};
  }
  wait_scope(const wait_scope&) = delete;
  wait_scope& operator=(const wait_scope&) = delete;

  // The time of its first check.
  [[nodiscard]] clock::time_point since() const noexcept { return since_; }
  // Records what this rank waits in. True: it is the first check.
  bool record(const char* call, const am_rank* peer, clock::time_point now) noexcept;

 private:
  clock::time_point since_{};
  wait_record& record_;
};

class stall_detector {
 public:
  stall_detector(std::chrono::seconds limit, dispatcher& dispatcher, peers& peers, bulk& bulk)
      : limit_(limit), dispatcher_(dispatcher), peers_(peers), bulk_(bulk), seen_(peers.ranks()) {}

  // In a call that waits, now and then; `peer`: the one that it waits for, or null.
  [[gnu::cold]] void check_stalls(wait_scope& here, const char* call, const am_rank* peer) noexcept;
  // What a call that waits exposes.
  [[nodiscard]] wait_record& current_wait() noexcept { return exposure_.current_wait; }
  // All that another process may read of this rank.
  [[nodiscard]] exposure& exposed_state() noexcept { return exposure_; }
  void release_memory() noexcept { free_containers(seen_); }

 private:
  // One peer's progress.
  struct peer_progress {
    std::uint64_t count = 0;  // its messages, answers and ends of calls: changes with progress
    wait_scope::clock::time_point since{};
    bool reported = false;
  };

  // Between two checks of the peers.
  [[nodiscard]] wait_scope::clock::duration interval() const noexcept {
    return std::min<wait_scope::clock::duration>(std::chrono::milliseconds(limit_) / 4,
                                                 std::chrono::seconds(1));
  }
  [[nodiscard]] std::size_t unanswered_by(am_rank rank) noexcept;
  [[nodiscard]] std::uint64_t progress_count(am_rank rank) const noexcept;
  [[nodiscard]] std::string describe_stalled_peer(am_rank rank, std::size_t unanswered) const;

  const std::chrono::seconds limit_;  // 0: never
  exposure exposure_;
  dispatcher& dispatcher_;
  peers& peers_;
  bulk& bulk_;
  base::zeroed_array<peer_progress> seen_;  // by rank
  wait_scope::clock::time_point next_check_{};
};

}  // namespace am::detail::core

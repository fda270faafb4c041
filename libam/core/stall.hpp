// Stalls: what a rank logs when a peer with unanswered requests, or for which a call waits, has
// shown no progress for AM_STALL_WARN. A rank without either waits for good reason, as far as it
// can know.
#pragma once

#include <libam/core/bulk.hpp>
#include <libam/core/exposure.hpp>
#include <libam/core/observers.hpp>
#include <libam/core/release_memory.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace am::detail::core {

// Where calls that wait leave word of it.
struct wait_place {
  exposure exposed;
  const observers* by = nullptr;  // null: neither AM_TRACE nor AM_DILATE is set

  [[nodiscard]] trace::writer* trace() const noexcept {
    return by == nullptr ? nullptr : by->trace;
  }
  [[nodiscard]] dilate::computation* computation() const noexcept {
    return by == nullptr ? nullptr : by->computation;
  }
};

// Core's own part of a call, where no transport is called that would tell of it. The endpoint may
// leave meanwhile: then its computation is gone.
class computation_break {
 public:
  explicit computation_break(wait_place& place) noexcept : place_(place) {
    if (place.computation() != nullptr) place.computation()->enter_library();
  }
  computation_break(const computation_break&) = delete;
  computation_break& operator=(const computation_break&) = delete;
  ~computation_break() {
    if (place_.computation() != nullptr) place_.computation()->leave_library();
  }

 private:
  wait_place& place_;
};

// A function of the program runs in a call.
class program_scope {
 public:
  explicit program_scope(wait_place& place) noexcept : place_(place) {
    if (place.computation() != nullptr) interrupted_ = place.computation()->begin_handler();
  }
  program_scope(const program_scope&) = delete;
  program_scope& operator=(const program_scope&) = delete;
  ~program_scope() {
    if (place_.computation() != nullptr) place_.computation()->end_handler(interrupted_);
  }

 private:
  wait_place& place_;
  unsigned interrupted_ = 0;
};

// A call that waits. Until its first check it costs nothing but its place on the stack.
class wait_scope {
 public:
  using clock = std::chrono::steady_clock;

  explicit wait_scope(wait_place& place) noexcept : place_(place) {}
  ~wait_scope() {
    if (since_ != clock::time_point{}) [[unlikely]]
      place_.exposed.current_wait = {};
    if (is_noted_) [[unlikely]]
      note_end();
  }
  wait_scope(const wait_scope&) = delete;
  wait_scope& operator=(const wait_scope&) = delete;

  // The time of its first check.
  [[nodiscard]] clock::time_point since() const noexcept { return since_; }
  // Records what this rank waits in. True: it is the first check.
  bool record(const char* call, const am_rank* peer, clock::time_point now) noexcept;
  // A poll of that call has found nothing: with the first one it begins to wait.
  void note_idle(const char* call) noexcept {
    if (place_.by == nullptr || is_noted_) [[likely]]
      return;
    note_begin(call);
  }

 private:
  void note_begin(const char* call) noexcept;
  void note_end() const noexcept;

  wait_place& place_;
  clock::time_point since_{};
  bool is_noted_ = false;
  // In the trace.
  std::uint64_t idle_since_ = 0;    // ticks
  std::uint32_t call_ = 0;          // the number of its name
  trace::writer::open_wait outer_;  // that this one is in
};

class stall_detector {
 public:
  stall_detector(std::chrono::seconds limit, dispatcher& dispatcher, peers& peers, bulk& bulk)
      : limit_(limit), dispatcher_(dispatcher), peers_(peers), bulk_(bulk), seen_(peers.ranks()) {}

  // In a call that waits, now and then; `peer`: the one that it waits for, or null.
  [[gnu::cold]] void check_stalls(wait_scope& here, const char* call, const am_rank* peer) noexcept;
  // What calls that wait expose and trace.
  [[nodiscard]] wait_place& current_wait() noexcept { return current_wait_; }
  // All that another process may read of this rank.
  [[nodiscard]] exposure& exposed_state() noexcept { return current_wait_.exposed; }
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
  wait_place current_wait_;
  dispatcher& dispatcher_;
  peers& peers_;
  bulk& bulk_;
  base::zeroed_array<peer_progress> seen_;  // by rank
  wait_scope::clock::time_point next_check_{};
};

}  // namespace am::detail::core

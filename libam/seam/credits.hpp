// Credits: how a sender knows that there is room at the other side, so that a reply never waits.
//
// A request holds one of W credits towards its target. The credit comes back in exactly one of two
// ways: with the reply, when the requester has consumed it; or, when the handler ended without one,
// by `silent`, a counter that the target publishes. So
//     free = W - (sent - replies consumed - silent)
// and a reply ring of W places can never be full when a handler replies. docs/flow-control.md has
// the whole argument. All counters are modular: 32 bits may wrap.
//
// A put that is under way without its notice holds one that is neither free nor in flight: nothing
// has been sent that the target could answer.
#pragma once

#include <libam/seam/run.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace am::detail::seam {

// The requester's half. Core takes credits, and puts back those of what has not been sent. The
// transport sets how many there are, books those that come back, and holds those of notices to
// come. Some free credits may be set aside as a run (run.hpp); never the last one: the request that
// takes it has to report that to the target.
class sender_credits {
 public:
  [[nodiscard]] std::uint32_t free() const noexcept { return free_ + run_.left(); }
  // W, including hidden and held credits.
  [[nodiscard]] std::uint32_t limit() const noexcept { return limit_ + hidden_ + held_; }
  [[nodiscard]] std::uint32_t in_flight() const noexcept { return limit_ - free(); }
  [[nodiscard]] std::uint32_t held() const noexcept { return held_; }
  // Requests since the start; no send has to count them.
  [[nodiscard]] std::uint64_t sent() const noexcept { return completed_ + in_flight(); }
  // Of these, those whose credit has come back.
  [[nodiscard]] std::uint64_t completed() const noexcept { return completed_; }

  // False: there is no run.
  [[nodiscard]] bool take_from_run() noexcept { return run_.take(); }
  void start_run(std::uint32_t length) noexcept {
    end_run();
    run_.start(std::min(length, std::max(free_, 1U) - 1));
    free_ -= run_.left();
  }
  void end_run() noexcept { free_ += run_.end(); }

  void take() noexcept {
    end_run();
    --free_;
  }
  // False: none is free.
  [[nodiscard]] bool take_if_free() noexcept {
    const std::uint32_t all = free();
    if (all == 0) return false;
    (void)run_.end();
    free_ = all - 1;
    return true;
  }
  void put_back() noexcept { ++free_; }  // what it was taken for has not been sent
  // Holds one that was taken for a notice that is not sent yet. Later the notice is sent
  // (send_held), or never will be (put_back_held).
  void hold() noexcept {
    ++held_;
    --limit_;
  }
  void send_held() noexcept {
    --held_;
    ++limit_;
  }
  void put_back_held() noexcept {
    send_held();
    put_back();
  }
  void book_replies(std::uint32_t replies) noexcept {
    free_ += replies;
    completed_ += replies;
  }

  // No more credits have come back than were in flight, whatever the target has sent.
  [[nodiscard]] bool is_consistent() const noexcept { return free() <= limit_; }
  // How many too many, if it is not consistent.
  [[nodiscard]] std::uint32_t surplus() const noexcept { return free() - limit_; }
  [[nodiscard]] bool is_valid_silent(std::uint32_t silent) const noexcept {
    return silent - silent_seen_ <= in_flight();
  }

  // `silent`: the target's counter as just read; its increase is the credits that have come back.
  void book_silent(std::uint32_t silent) noexcept {
    const std::uint32_t newly_silent = silent - silent_seen_;
    silent_seen_ = silent;
    free_ += newly_silent;
    completed_ += newly_silent;
  }

  // Hides the free ones (AM_FAULT): until they are shown again they do not count; those that come
  // back meanwhile are free.
  void hide_free() noexcept {
    end_run();
    hidden_ += free_;
    limit_ -= std::exchange(free_, 0);
  }
  void show_hidden() noexcept {
    free_ += hidden_;
    limit_ += std::exchange(hidden_, 0);
  }

  // W grows (it never shrinks).
  void raise_limit(std::uint32_t limit) noexcept {
    const std::uint32_t more = limit - this->limit();
    free_ += more;
    limit_ += more;
  }

  // Nothing can be sent any more; returns how many were in flight.
  std::uint32_t shut() noexcept {
    const std::uint32_t outstanding = in_flight();
    completed_ += outstanding;
    (void)run_.end();
    free_ = limit_ = hidden_ = held_ = 0;
    return outstanding;
  }

 private:
  request_run run_;
  std::uint32_t free_ = 0;   // beside the run
  std::uint32_t limit_ = 0;  // without those that are hidden or held
  std::uint32_t held_ = 0;   // taken, for notices that are not sent yet
  std::uint32_t silent_seen_ = 0;
  std::uint64_t completed_ = 0;  // credits that have come back since the start
  std::uint32_t hidden_ = 0;     // neither free nor in flight
};

// The target's half: when to publish what has been counted. The same rule serves `silent` (in
// messages) and the payload counter (in bytes).
class batched_counter {
 public:
  explicit batched_counter(std::uint32_t window) noexcept : step_(std::max(1U, window / 4)) {}

  void add(std::uint32_t amount) noexcept { value_ += amount; }
  void move_to(std::uint32_t value) noexcept { value_ = value; }
  void widen(std::uint32_t window) noexcept { step_ = std::max(1U, window / 4); }
  [[nodiscard]] std::uint32_t value() const noexcept { return value_; }
  [[nodiscard]] std::uint32_t unpublished() const noexcept { return value_ - published_; }
  [[nodiscard]] bool has_unpublished() const noexcept { return unpublished() != 0; }
  // Publish now? Otherwise a poll that finds nothing publishes it.
  [[nodiscard]] bool due() const noexcept { return value_ - published_ >= step_; }
  void mark_published() noexcept { published_ = value_; }

 private:
  std::uint32_t value_ = 0;
  std::uint32_t published_ = 0;
  std::uint32_t step_;
};

}  // namespace am::detail::seam

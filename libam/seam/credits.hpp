// Credits: how a sender knows that there is room at the other side, so that a reply never waits.
//
// A request holds one of W credits towards its target. The credit comes home in exactly one of two
// ways: with the reply, when the requester has consumed it; or, when the handler ended without one,
// through `silent`, a counter that the target publishes. So
//     free = W - (sent - replies consumed - silent)
// and a reply ring of W places can never be full when a handler replies. docs/flow-control.md has
// the whole argument. All counters are modular: 32 bits may wrap.
//
// A put that goes on without its notice holds one that is neither free nor on its way: nothing has
// been sent that the target could answer for.
#pragma once

#include <libam/seam/run.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace am::detail::seam {

// The requester's half. Core takes credits, and puts back those of what has not been sent. The
// transport says how many there are, what has come home, and which are held for notices to come.
// Some free credits may be set aside as a run (run.hpp); never the last one: who takes that has to
// say so to the target.
class sender_credits {
 public:
  [[nodiscard]] std::uint32_t free() const noexcept { return free_ + run_.left(); }
  // W, whatever is hidden.
  [[nodiscard]] std::uint32_t limit() const noexcept { return limit_ + hidden_ + held_; }
  [[nodiscard]] std::uint32_t on_their_way() const noexcept { return limit_ - free(); }
  [[nodiscard]] std::uint32_t held() const noexcept { return held_; }
  // Requests since the start, which nobody has to count when sending.
  [[nodiscard]] std::uint64_t sent() const noexcept { return home_ + on_their_way(); }
  // Of these, those that are answered for.
  [[nodiscard]] std::uint64_t home() const noexcept { return home_; }

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
  // One that was taken is for a notice that is not sent yet; then it is being sent, or never is.
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
  void replies_consumed(std::uint32_t replies) noexcept {
    free_ += replies;
    home_ += replies;
  }

  // No more comes home than is on its way, whatever the target says.
  [[nodiscard]] bool in_order() const noexcept { return free() <= limit_; }
  [[nodiscard]] std::uint32_t surplus() const noexcept { return free() - limit_; }  // if it has
  [[nodiscard]] bool may_be_silent(std::uint32_t silent) const noexcept {
    return silent - silent_seen_ <= on_their_way();
  }

  // The target's counter as just read; what is new in it has come home.
  void silent_read(std::uint32_t silent) noexcept {
    const std::uint32_t news = silent - silent_seen_;
    silent_seen_ = silent;
    free_ += news;
    home_ += news;
  }

  // Sets those that are free aside (AM_FAULT): until they are shown again it is as if they were not
  // there, and what comes home meanwhile is free.
  void hide_free() noexcept {
    end_run();
    hidden_ += free_;
    limit_ -= std::exchange(free_, 0);
  }
  void show_hidden() noexcept {
    free_ += hidden_;
    limit_ += std::exchange(hidden_, 0);
  }

  // W has grown (it never shrinks).
  void raise_limit(std::uint32_t limit) noexcept {
    const std::uint32_t more = limit - this->limit();
    free_ += more;
    limit_ += more;
  }

  // Nothing can be sent any more; says how many were on their way.
  std::uint32_t shut() noexcept {
    const std::uint32_t outstanding = on_their_way();
    home_ += outstanding;
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
  std::uint64_t home_ = 0;    // credits that have come home since the start
  std::uint32_t hidden_ = 0;  // neither free nor on their way
};

// The target's half: when to publish what it owes. The same rule serves `silent` (in messages) and
// the payload counter (in bytes).
class owed_counter {
 public:
  explicit owed_counter(std::uint32_t window) noexcept : step_(std::max(1U, window / 4)) {}

  void add(std::uint32_t amount) noexcept { value_ += amount; }
  void move_to(std::uint32_t value) noexcept { value_ = value; }
  void widen(std::uint32_t window) noexcept { step_ = std::max(1U, window / 4); }
  [[nodiscard]] std::uint32_t value() const noexcept { return value_; }
  [[nodiscard]] std::uint32_t owed() const noexcept { return value_ - published_; }
  [[nodiscard]] bool owes() const noexcept { return owed() != 0; }
  // Publish now? Otherwise it waits for a poll that finds nothing.
  [[nodiscard]] bool due() const noexcept { return value_ - published_ >= step_; }
  void published() noexcept { published_ = value_; }

 private:
  std::uint32_t value_ = 0;
  std::uint32_t published_ = 0;
  std::uint32_t step_;
};

}  // namespace am::detail::seam

// What the ranks write, passed on in whole lines: lines of different ranks never mix, whatever
// their length. One sink for standard output and one for standard error, each with one source per
// rank.
//
// A line longer than a source may hold takes the sink for itself until it ends, or until its rank
// has been silent for a second while another's lines fill what may be held: that one may be what it
// waits for. What a rank leaves without a newline comes last, as it is.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/tools/am-run/event_loop.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace am::detail::run {

class sink {
 public:
  using clock = std::chrono::steady_clock;

  // `lost` hears of an error other than that of a reader who has gone.
  sink(event_loop& loop, int fd, bool label, std::function<void(int error)> lost)
      : loop_(loop), fd_(fd), label_(label), lost_(std::move(lost)) {}

  // Starts to pass on what comes out of this pipe.
  void add(am_rank rank, base::fd pipe);

  // A line of am-run's own, with its newline.
  void say(std::string_view line);

  // No rank can write any more and all whole lines have been written.
  [[nodiscard]] bool done() const noexcept { return open_ == 0 && !congested(); }
  // Lines wait for whoever reads them.
  [[nodiscard]] bool congested() const noexcept { return backlog() != 0; }

  // When a long line without an end is cut, because others have waited for it that long; none if
  // nobody does.
  [[nodiscard]] std::optional<clock::time_point> patience_ends() const;
  void cut_long_line(clock::time_point now);

  // The end: nothing more is read, and what was left without a newline is passed on, too.
  void finish();

 private:
  struct source {
    am_rank rank;
    base::fd pipe;
    std::string held;  // not passed on yet
    bool watched = false;
  };

  [[nodiscard]] std::size_t backlog() const noexcept { return pending_.size() - written_; }
  void read_from(source& from);
  void close(source& from);
  void pass_lines(source& from);
  void pass_part(source& from);
  void end_line();
  void put(const source& from, std::string_view text);
  void watch_sources();
  void write_now(bool everything);
  void want_room();
  void break_off(int error);

  event_loop& loop_;
  int fd_;
  bool label_;
  std::function<void(int error)> lost_;
  std::vector<std::unique_ptr<source>> sources_;
  std::size_t open_ = 0;
  source* owner_ = nullptr;  // in the middle of a long line
  clock::time_point owner_spoke_{};
  std::string pending_;
  std::size_t written_ = 0;  // of pending_
  bool mid_line_ = false;    // the last byte taken was no newline
  bool watching_room_ = false;
  bool broken_ = false;  // nobody reads us: the ranks are to notice
};

}  // namespace am::detail::run

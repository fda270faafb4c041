// The output of the ranks, passed on in whole lines: lines of different ranks never mix, whatever
// their length. There is one sink for standard output and one for standard error, each with one
// source per rank.
//
// A line longer than a source may buffer has the sink for itself until it ends, or until its rank
// has been silent for a second while the buffer of another rank is full: the silent rank may be
// waiting for that one. Text that a rank leaves without a newline is passed on last, as it is.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace am::detail::run {

// Where the output of ranks of other hosts comes from, one for each stream and agent.
class output_origin {
 public:
  // So many bytes of this rank have been passed on.
  virtual void on_taken(am_rank rank, std::size_t bytes) = 0;
  // The output has no reader any more.
  virtual void on_closed() = 0;

 protected:
  ~output_origin() = default;
};

// Takes the output of ranks of other hosts.
class output_taker {
 public:
  virtual void add(am_rank rank, output_origin& origin) = 0;
  // No bytes: the end.
  virtual void feed(am_rank rank, std::string_view bytes) = 0;

 protected:
  ~output_taker() = default;
};

class sink final : public output_taker {
 public:
  using clock = std::chrono::steady_clock;

  // `on_error` gets errors, except that the reader has gone (EPIPE).
  sink(event_loop& loop, int fd, bool label, std::function<void(int error)> on_error)
      : loop_(loop), fd_(fd), label_(label), on_error_(std::move(on_error)) {}

  // Starts to pass on the output that comes through this pipe.
  void add(am_rank rank, base::fd pipe);

  void add(am_rank rank, output_origin& origin) override;
  void feed(am_rank rank, std::string_view bytes) override;

  // Both write to the same file: neither writes while the other has written a part of a line and
  // the rest waits for the reader.
  static void share_file(sink& one, sink& other);

  // A line of am-run's own, with its newline.
  void add_own_line(std::string_view line);

  // No rank can write any more and all whole lines have been written.
  [[nodiscard]] bool done() const noexcept { return open_ == 0 && !congested(); }
  // Lines wait for the reader.
  [[nodiscard]] bool congested() const noexcept { return backlog() != 0; }

  // When a long line is cut because other ranks have waited too long for its end; none if no rank
  // waits.
  [[nodiscard]] std::optional<clock::time_point> long_line_deadline() const;
  void cut_long_line(clock::time_point now);

  // Stops reading, and passes on what was left without a newline.
  void finish();

 private:
  struct source {
    am_rank rank;
    base::fd pipe;
    output_origin* origin = nullptr;  // instead of a pipe
    std::string arrived;              // from the origin, while a pipe would not be read
    bool ended = false;               // nothing follows what has arrived
    std::string buffered;             // not passed on yet
    bool watched = false;
    clock::time_point last_output{};  // of the owner: when its long line last went on
    [[nodiscard]] bool open() const noexcept { return pipe.valid() || origin != nullptr; }
  };

  [[nodiscard]] std::size_t backlog() const noexcept { return pending_.size() - written_; }
  source& add_source(am_rank rank);
  void read_from(source& from);
  void read_piece(source& from);
  void take_arrived(source& from);
  void close(source& from);
  void pass_lines(source& from);
  void pass_part(source& from);
  void end_line();
  void put(const source& from, std::string_view text);
  [[nodiscard]] bool may_read(const source& one) const noexcept;
  void watch_sources();
  void take_turns();
  [[nodiscard]] std::size_t next_piece() const;
  void write_now(bool everything);
  void watch_writable();
  void on_write_error(int error);

  event_loop& loop_;
  int fd_;
  bool label_;
  std::function<void(int error)> on_error_;
  std::vector<std::unique_ptr<source>> sources_;
  std::map<am_rank, source*> remote_;  // those with an origin
  std::size_t open_ = 0;
  source* owner_ = nullptr;  // of the long line that is being passed on
  std::string pending_;
  std::size_t written_ = 0;  // of pending_
  bool mid_line_ = false;    // the last byte passed on was no newline
  bool watching_writable_ = false;
  struct {
    sink* sharer = nullptr;  // writes to the same file
    bool cut_line = false;   // a part of a line has been written, and the rest waits
  } file_;
  struct {
    bool is_full = false;  // until half of what waits has been written
    std::size_t next = 0;  // of sources_, to be read
  } reading_;
  bool broken_ = false;  // the output has no reader, which the ranks are to notice
};

}  // namespace am::detail::run

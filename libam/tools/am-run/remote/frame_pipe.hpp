// Frames in both directions through two descriptors. Nothing waits: what they do not take now is
// sent later.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace am::detail::run {

class frame_pipe {
 public:
  using clock = std::chrono::steady_clock;
  // `on_frame`: false if the frame breaks the protocol; then, and when the other side ends, nothing
  // more is read and `on_end` is called once.
  using frame_taker = std::function<bool(host_frame kind, seam::bytes_view body)>;
  frame_pipe(event_loop& loop, std::size_t most_body, frame_taker on_frame,
             std::function<void()> on_end);
  ~frame_pipe() { close(); }
  frame_pipe(const frame_pipe&) = delete;
  frame_pipe& operator=(const frame_pipe&) = delete;

  void open(base::fd to_read, base::fd to_write);
  void close();

  void send(std::string frame) { send(std::make_shared<const std::string>(std::move(frame))); }
  void send(std::shared_ptr<const std::string> bytes);
  [[nodiscard]] bool is_open() const noexcept { return to_read_.valid(); }
  // Something has arrived and has not been read yet: the other side is not silent.
  [[nodiscard]] bool has_unread() const noexcept {
    return is_open() && base::ready_now(to_read_.get(), POLLIN) != 0;
  }
  // When the other side last sent bytes, and when it last sent some or took some that had waited.
  [[nodiscard]] clock::time_point last_heard() const noexcept { return last_heard_; }
  [[nodiscard]] clock::time_point last_moved() const noexcept {
    return std::max(last_heard_, last_taken_);
  }
  [[nodiscard]] bool all_sent() const noexcept { return outgoing_.empty(); }
  [[nodiscard]] bool broke_protocol() const noexcept { return broke_protocol_; }

 private:
  void read_more();
  bool take_frames();
  void write_more();
  void stop_reading();
  void stop_writing();

  event_loop& loop_;
  frame_taker on_frame_;
  std::function<void()> on_end_;
  base::fd to_read_;
  base::fd to_write_;
  boot::frame_reader reader_;
  std::deque<std::shared_ptr<const std::string>> outgoing_;
  std::size_t sent_ = 0;  // of the first
  clock::time_point last_heard_ = clock::now();
  clock::time_point last_taken_ = last_heard_;
  bool watching_writable_ = false;
  bool broke_protocol_ = false;
};

}  // namespace am::detail::run

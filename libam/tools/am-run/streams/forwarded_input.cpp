#include <libam/tools/am-run/streams/forwarded_input.hpp>

#include <libam/tools/am-run/streams/pipes.hpp>
#include <libam/tools/am-run/streams/signals.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace am::detail::run {

void input_reader::start() {
  open_ = true;
  const bool in_background =
      ::isatty(STDIN_FILENO) != 0 && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp();
  if (!in_background) return watch();
  stop();
  forward_({});
}

void input_reader::grant(std::size_t bytes) {
  window_ = std::min(window_ + bytes, input_window);
  if (open_ && !watched_) watch();
}

void input_reader::watch() {
  watched_ = loop_.watch(STDIN_FILENO, EPOLLIN, [this] { read_some(); });
  while (!watched_ && open_ && window_ != 0) read_some();  // a file: a read never waits
}

void input_reader::read_some() {
  std::array<char, 1U << 14> room;
  const ssize_t count = ::read(STDIN_FILENO, room.data(), std::min(window_, room.size()));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    stop();
    return forward_({});
  }
  window_ -= static_cast<std::size_t>(count);
  if (window_ == 0 && std::exchange(watched_, false)) loop_.unwatch(STDIN_FILENO);
  forward_(std::string_view(room.data(), static_cast<std::size_t>(count)));
}

void input_reader::stop() {
  open_ = false;
  if (std::exchange(watched_, false)) loop_.unwatch(STDIN_FILENO);
}

base::fd input_writer::open() {
  base::fd to_read;
  if (!make_pipe(to_read, pipe_)) return {};
  ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  return to_read;
}

bool input_writer::write(std::string_view bytes) {
  if (bytes.size() > input_window - pending_.size()) return false;
  ended_ = ended_ || bytes.empty();
  pending_.append(bytes);
  write_more();
  return true;
}

// What rank 0 does not read any more is dropped, and no more is asked for.
void input_writer::write_more() {
  if (!pipe_.valid()) return pending_.clear();
  if (!pending_.empty()) {
    const ssize_t count = ::write(pipe_.get(), pending_.data(), pending_.size());
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
      signals::drop_broken_pipe();
      return close();
    }
    if (count > 0) {
      pending_.erase(0, static_cast<std::size_t>(count));
      taken_(static_cast<std::size_t>(count));
    }
  }
  if (pending_.empty() && ended_) return close();
  if (pending_.empty() == !watched_) return;
  watched_ = !watched_;
  if (watched_) {
    loop_.watch(pipe_.get(), EPOLLOUT, [this] { write_more(); });
  } else {
    loop_.unwatch(pipe_.get());
  }
}

void input_writer::close() {
  if (std::exchange(watched_, false)) loop_.unwatch(pipe_.get());
  pipe_ = base::fd();
  pending_.clear();
}

}  // namespace am::detail::run

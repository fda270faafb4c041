#include <libam/tools/am-run/remote/frame_pipe.hpp>

#include <libam/tools/am-run/streams/signals.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace am::detail::run {

frame_pipe::frame_pipe(event_loop& loop, std::size_t most_body, frame_taker on_frame,
                       std::function<void()> on_end)
    : loop_(loop), on_frame_(std::move(on_frame)), on_end_(std::move(on_end)), reader_(most_body) {}

void frame_pipe::open(base::fd to_read, base::fd to_write) {
  to_read_ = std::move(to_read);
  to_write_ = std::move(to_write);
  for (const int each : {to_read_.get(), to_write_.get()})
    ::fcntl(each, F_SETFL, ::fcntl(each, F_GETFL) | O_NONBLOCK);
  loop_.watch(to_read_.get(), EPOLLIN, [this] { read_more(); });
}

void frame_pipe::close() {
  stop_reading();
  stop_writing();
}

void frame_pipe::stop_reading() {
  if (!to_read_.valid()) return;
  loop_.unwatch(to_read_.get());
  to_read_ = base::fd();
}

void frame_pipe::stop_writing() {
  if (std::exchange(watching_writable_, false)) loop_.unwatch(to_write_.get());
  to_write_ = base::fd();
  outgoing_.clear();
  sent_ = 0;
}

void frame_pipe::read_more() {
  std::array<std::byte, 1U << 16> room;
  const ssize_t count = ::read(to_read_.get(), room.data(), room.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) {
    last_heard_ = clock::now();
    reader_.feed(seam::bytes_view(room).first(static_cast<std::size_t>(count)));
    if (take_frames()) return;
    broke_protocol_ = true;
  }
  if (!to_read_.valid()) return;  // closed by what a frame has caused
  stop_reading();
  on_end_();
}

bool frame_pipe::take_frames() {
  while (const auto received = reader_.next()) {
    if (!on_frame_(static_cast<host_frame>(received->kind), received->body)) return false;
    if (!to_read_.valid()) return true;
  }
  return !reader_.broken();
}

void frame_pipe::send(std::shared_ptr<const std::string> bytes) {
  if (!to_write_.valid()) return;
  outgoing_.push_back(std::move(bytes));
  if (!watching_writable_) write_more();
}

void frame_pipe::write_more() {
  while (!outgoing_.empty()) {
    const std::string& first = *outgoing_.front();
    const ssize_t count = ::write(to_write_.get(), first.data() + sent_, first.size() - sent_);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count < 0) {  // it has ended: a read reports that
      signals::drop_broken_pipe();
      return stop_writing();
    }
    sent_ += static_cast<std::size_t>(count);
    if (sent_ < first.size()) continue;
    outgoing_.pop_front();
    sent_ = 0;
  }
  const bool more = !outgoing_.empty();
  if (more == watching_writable_) return;
  watching_writable_ = more;
  if (more) {
    loop_.watch(to_write_.get(), EPOLLOUT, [this] {
      last_taken_ = clock::now();
      write_more();
    });
  } else {
    loop_.unwatch(to_write_.get());
  }
}

}  // namespace am::detail::run

#include <libam/tools/am-run/streams/forwarded_output.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace am::detail::run {

void forwarded_output::add(am_rank rank, base::fd pipe) {
  if (closed_) return;  // the pipe closes, like those of the others
  ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  sources_.push_back(std::make_unique<source>(source{rank, std::move(pipe)}));
  ++open_;
  watch_sources();
}

void forwarded_output::grant(std::size_t bytes) {
  window_ = std::min(window_ + bytes, window_bytes);
  watch_sources();
}

void forwarded_output::close_all() {
  closed_ = true;
  for (const auto& each : sources_)
    if (each->pipe.valid()) close(*each);
}

void forwarded_output::watch_sources() {
  const bool may_read = window_ != 0;
  for (const auto& each : sources_) {
    source& s = *each;
    if (!s.pipe.valid() || s.watched == may_read) continue;
    s.watched = may_read;
    if (may_read) {
      loop_.watch(s.pipe.get(), EPOLLIN, [this, &s] { read_from(s); });
    } else {
      loop_.unwatch(s.pipe.get());
    }
  }
}

void forwarded_output::read_from(source& from) {
  std::array<char, 1U << 14> room;
  const ssize_t count = ::read(from.pipe.get(), room.data(), std::min(window_, room.size()));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close(from);
  window_ -= static_cast<std::size_t>(count);
  forward_(from.rank, std::string_view(room.data(), static_cast<std::size_t>(count)));
  if (window_ == 0) watch_sources();
}

void forwarded_output::close(source& from) {
  if (from.watched) loop_.unwatch(from.pipe.get());
  from.watched = false;
  from.pipe = base::fd();
  --open_;
  forward_(from.rank, {});
}

}  // namespace am::detail::run

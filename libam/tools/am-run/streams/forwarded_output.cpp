#include <libam/tools/am-run/streams/forwarded_output.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace am::detail::run {

forwarded_output::source& forwarded_output::add_source(am_rank rank) {
  sources_.push_back(std::make_unique<source>());
  sources_.back()->rank = rank;
  ++open_;
  return *sources_.back();
}

void forwarded_output::add(am_rank rank, base::fd pipe) {
  if (closed_) return;  // the pipe closes, like those of the others
  ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  add_source(rank).pipe = std::move(pipe);
  watch_pipes();
}

void forwarded_output::add(am_rank rank, output_origin& origin) {
  if (closed_) return origin.on_closed();
  source& added = add_source(rank);
  added.origin = &origin;
  remote_[rank] = &added;
}

void forwarded_output::feed(am_rank rank, std::string_view bytes) {
  const auto found = remote_.find(rank);
  if (found == remote_.end()) return;
  source& from = *found->second;
  from.arrived.append(bytes);
  from.ended = from.ended || bytes.empty();
  pass_arrived(from);
}

void forwarded_output::grant(std::size_t bytes) {
  window_ = std::min(window_ + bytes, window_bytes);
  pass_arrived();
  watch_pipes();
}

void forwarded_output::close_all() {
  closed_ = true;
  for (const auto& each : sources_) {
    if (each->origin != nullptr) each->origin->on_closed();
    if (each->open()) close(*each);
  }
}

void forwarded_output::watch_pipes() {
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
  pass(from, std::string_view(room.data(), static_cast<std::size_t>(count)));
}

void forwarded_output::pass_arrived() {
  const std::size_t first = first_to_pass_;
  for (std::size_t i = 0; i < sources_.size() && window_ != 0; ++i) {
    const std::size_t at = (first + i) % sources_.size();
    pass_arrived(*sources_[at]);
    first_to_pass_ = at + 1;
  }
}

void forwarded_output::pass_arrived(source& from) {
  const std::size_t count = std::min(window_, from.arrived.size());
  if (from.origin != nullptr && count != 0) {
    pass(from, std::string_view(from.arrived).substr(0, count));
    from.arrived.erase(0, count);
    from.origin->on_taken(count);
  }
  if (from.origin != nullptr && from.ended && from.arrived.empty()) close(from);
}

void forwarded_output::pass(source& from, std::string_view bytes) {
  window_ -= bytes.size();
  forward_(from.rank, bytes);
  if (window_ == 0) watch_pipes();
}

void forwarded_output::close(source& from) {
  if (from.watched) loop_.unwatch(from.pipe.get());
  from.watched = false;
  from.pipe = base::fd();
  from.arrived.clear();
  if (std::exchange(from.origin, nullptr) != nullptr) remote_.erase(from.rank);
  --open_;
  forward_(from.rank, {});
}

}  // namespace am::detail::run

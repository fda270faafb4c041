#include <libam/tools/am-run/streams/forwarded_output.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace am::detail::run {

forwarded_output::source& forwarded_output::add_source(am_rank rank) {
  source& added = sources_[rank];
  added.rank = rank;
  ++open_;
  return added;
}

void forwarded_output::add(am_rank rank, base::fd pipe) {
  if (closed_) return;  // the pipe closes, like those of the others
  ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  source& added = add_source(rank);
  added.pipe = std::move(pipe);
  watch_pipe(added);
}

void forwarded_output::add(am_rank rank, output_origin& origin) {
  if (closed_) return origin.on_closed();
  add_source(rank).origin = &origin;
}

void forwarded_output::feed(am_rank rank, std::string_view bytes) {
  const auto found = sources_.find(rank);
  if (found == sources_.end() || found->second.origin == nullptr) return;
  source& from = found->second;
  from.arrived.append(bytes);
  from.ended = from.ended || bytes.empty();
  pass_arrived(from);
}

void forwarded_output::grant(am_rank rank, std::size_t bytes) {
  const auto found = sources_.find(rank);
  if (found == sources_.end()) return;
  source& from = found->second;
  from.window = std::min(from.window + bytes, output_window);
  pass_arrived(from);
  watch_pipe(from);
}

void forwarded_output::close_all() {
  closed_ = true;
  for (auto& [rank, each] : sources_) {
    if (each.origin != nullptr) each.origin->on_closed();
    if (each.open()) close(each);
  }
}

bool forwarded_output::congested() const {
  return std::ranges::any_of(
      sources_, [](const auto& each) { return each.second.open() && each.second.window == 0; });
}

void forwarded_output::watch_pipe(source& one) {
  const bool may_read = one.window != 0;
  if (!one.pipe.valid() || one.watched == may_read) return;
  one.watched = may_read;
  if (may_read) {
    loop_.watch(one.pipe.get(), EPOLLIN, [this, &one] { read_from(one); });
  } else {
    loop_.unwatch(one.pipe.get());
  }
}

void forwarded_output::read_from(source& from) {
  std::array<char, output_window> room;
  const ssize_t count = ::read(from.pipe.get(), room.data(), from.window);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close(from);
  pass(from, std::string_view(room.data(), static_cast<std::size_t>(count)));
  watch_pipe(from);
}

void forwarded_output::pass_arrived(source& from) {
  if (from.origin == nullptr) return;
  const std::size_t count = std::min(from.window, from.arrived.size());
  if (count != 0) {
    pass(from, std::string_view(from.arrived).substr(0, count));
    from.arrived.erase(0, count);
    from.origin->on_taken(from.rank, count);
  }
  if (from.ended && from.arrived.empty()) close(from);
}

void forwarded_output::pass(source& from, std::string_view bytes) {
  from.window -= bytes.size();
  forward_(from.rank, bytes);
}

void forwarded_output::close(source& from) {
  if (from.watched) loop_.unwatch(from.pipe.get());
  from.watched = false;
  from.pipe = base::fd();
  from.arrived.clear();
  from.origin = nullptr;
  --open_;
  forward_(from.rank, {});
}

}  // namespace am::detail::run

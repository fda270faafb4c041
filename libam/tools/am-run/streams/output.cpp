// Sources are read only while there is room for their output. So a reader that stops (a pager)
// stops the ranks, and am-run stays responsive.
#include <libam/tools/am-run/streams/output.hpp>

#include <libam/base/format.hpp>
#include <libam/tools/am-run/streams/signals.hpp>
#include <libam/tools/messages.hpp>

#include <fcntl.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace am::detail::run {
namespace {

constexpr std::size_t most_pending = 1U << 20;
constexpr std::size_t most_buffered = 1U << 20;
constexpr std::chrono::seconds long_line_timeout{1};
// What a pipe that reports room takes without blocking.
constexpr std::size_t write_piece = 4096;

}  // namespace

sink::source& sink::add_source(am_rank rank) {
  sources_.push_back(std::make_unique<source>());
  sources_.back()->rank = rank;
  ++open_;
  return *sources_.back();
}

void sink::add(am_rank rank, base::fd pipe) {
  if (broken_) return;  // the pipe closes, like those of the others
  ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  add_source(rank).pipe = std::move(pipe);
  watch_sources();
}

void sink::add(am_rank rank, output_origin& origin) {
  if (broken_) return origin.on_closed();
  source& added = add_source(rank);
  added.origin = &origin;
  remote_[rank] = &added;
}

void sink::feed(am_rank rank, std::string_view bytes) {
  const auto found = remote_.find(rank);
  if (found == remote_.end()) return;
  found->second->arrived.append(bytes);
  found->second->ended = found->second->ended || bytes.empty();
  watch_sources();
}

void sink::add_own_line(std::string_view line) {
  if (broken_) return;
  end_line();
  pending_.append(line);
  watch_writable();
}

bool sink::may_read(const source& one) const noexcept {
  return !reading_.is_full &&
         (owner_ == nullptr || owner_ == &one || one.buffered.size() < most_buffered);
}

// Sources that may be read now are watched, the others are not. When the output has been full, each
// source has its turn before one has another: the first ones would take all the room for ever.
void sink::watch_sources() {
  if (backlog() >= most_pending) {
    reading_.is_full = true;
  } else if (backlog() <= most_pending / 2 && std::exchange(reading_.is_full, false)) {
    take_turns();
  }
  for (const auto& each : sources_) {
    source& s = *each;
    if (!s.open()) continue;
    if (s.origin != nullptr) {
      if (may_read(s)) take_arrived(s);
      continue;
    }
    if (may_read(s) == s.watched) continue;
    s.watched = !s.watched;
    if (s.watched) {
      loop_.watch(s.pipe.get(), EPOLLIN, [this, &s] { read_from(s); });
    } else {
      loop_.unwatch(s.pipe.get());
    }
  }
}

void sink::take_turns() {
  const std::size_t first = reading_.next;
  for (std::size_t i = 0; i < sources_.size() && !reading_.is_full; ++i) {
    const std::size_t place = (first + i) % sources_.size();
    source& s = *sources_[place];
    if (!s.open() || !may_read(s)) continue;
    s.origin != nullptr ? take_arrived(s) : read_piece(s);
    reading_.next = place + 1;
    reading_.is_full = backlog() >= most_pending;
  }
}

void sink::read_from(source& from) {
  read_piece(from);
  watch_sources();
}

void sink::read_piece(source& from) {
  std::array<char, 1U << 16> room;
  const ssize_t count = ::read(from.pipe.get(), room.data(), room.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close(from);
  from.buffered.append(room.data(), static_cast<std::size_t>(count));
  if (owner_ == nullptr || owner_ == &from) pass_lines(from);
}

// As read_piece does with what it reads.
void sink::take_arrived(source& from) {
  const std::string text = std::exchange(from.arrived, {});
  if (!text.empty()) {
    from.buffered.append(text);
    // Before pass_lines(), which may close the source.
    from.origin->on_taken(from.rank, text.size());
    if (owner_ == nullptr || owner_ == &from) pass_lines(from);
  }
  if (from.origin != nullptr && from.ended && from.arrived.empty()) close(from);
}

void sink::close(source& from) {
  if (from.watched) loop_.unwatch(from.pipe.get());
  from.watched = false;
  from.pipe = base::fd();
  if (std::exchange(from.origin, nullptr) != nullptr) remote_.erase(from.rank);
  --open_;
  if (owner_ != &from) return;
  // A long line without an end: the next output ends it.
  owner_ = nullptr;
  for (const auto& each : sources_) pass_lines(*each);
}

void sink::pass_lines(source& from) {
  const auto last = from.buffered.rfind('\n');
  if (last != std::string::npos) {
    const bool was_owner = owner_ == &from;
    const std::string rest = from.buffered.substr(last + 1);
    from.buffered.resize(last + 1);
    put(from, from.buffered);
    from.buffered = rest;
    if (was_owner) {
      owner_ = nullptr;
      for (const auto& each : sources_)
        if (each.get() != &from && owner_ == nullptr) pass_lines(*each);
    }
  }
  if (owner_ == &from || (owner_ == nullptr && from.buffered.size() >= most_buffered))
    pass_part(from);
}

void sink::end_line() {
  if (std::exchange(mid_line_, false)) pending_.push_back('\n');
}

void sink::pass_part(source& from) {
  if (owner_ != &from) end_line();  // of an owner that has gone, or was silent for too long
  owner_ = &from;
  owner_->last_output = clock::now();
  put(from, from.buffered);
  from.buffered.clear();
}

std::optional<sink::clock::time_point> sink::long_line_deadline() const {
  const auto waits = [this](const auto& each) {
    return each.get() != owner_ && each->open() && each->buffered.size() >= most_buffered;
  };
  if (owner_ == nullptr || backlog() >= most_pending || std::ranges::none_of(sources_, waits))
    return std::nullopt;
  return owner_->last_output + long_line_timeout;
}

void sink::cut_long_line(clock::time_point now) {
  const auto end = long_line_deadline();
  if (!end || now < *end) return;
  owner_ = nullptr;
  for (const auto& each : sources_) pass_lines(*each);
  watch_sources();
}

// `text` continues the owner's long line, or begins a new line.
void sink::put(const source& from, std::string_view text) {
  if (broken_ || text.empty()) return;
  const bool goes_on = owner_ == &from && mid_line_;
  if (!goes_on) end_line();
  if (!label_) {
    pending_.append(text);
  } else {
    const std::string label = base::format("[{}] ", from.rank);
    if (!goes_on) pending_.append(label);
    for (std::size_t at = 0; at < text.size();) {
      const auto newline = text.find('\n', at);
      const auto end = newline == std::string_view::npos ? text.size() : newline + 1;
      if (at != 0) pending_.append(label);
      pending_.append(text.substr(at, end - at));
      at = end;
    }
  }
  mid_line_ = text.back() != '\n';
  watch_writable();
}

void sink::share_file(sink& one, sink& other) {
  one.file_.sharer = &other;
  other.file_.sharer = &one;
}

void sink::watch_writable() {
  if (watching_writable_ || broken_ || !congested() ||
      (file_.sharer != nullptr && file_.sharer->file_.cut_line))
    return;
  watching_writable_ = loop_.watch(fd_, EPOLLOUT, [this] { write_now(false); });
  if (!watching_writable_) write_now(true);  // a file: it always takes all
}

// Whole lines as far as they fit, because another process, or the other sink, may write to the same
// pipe before the next piece.
std::size_t sink::next_piece() const {
  if (backlog() <= write_piece) return backlog();
  const std::string_view next = std::string_view(pending_).substr(written_, write_piece);
  const auto last = next.rfind('\n');
  return last == std::string_view::npos ? write_piece : last + 1;
}

void sink::write_now(bool everything) {
  if (!everything && file_.sharer != nullptr && file_.sharer->file_.cut_line) {
    if (std::exchange(watching_writable_, false)) loop_.unwatch(fd_);
    return;
  }
  do {
    const std::size_t piece = everything ? backlog() : next_piece();
    const ssize_t count = ::write(fd_, pending_.data() + written_, piece);
    if (count >= 0) {
      written_ += static_cast<std::size_t>(count);
      file_.cut_line = congested() && count != 0 && pending_[written_ - 1] != '\n';
    } else if (errno == EAGAIN && everything) {
      ::usleep(1000);  // another process has made this stream non-blocking
    } else if (errno != EAGAIN && errno != EINTR) {
      return on_write_error(errno);
    }
  } while (everything && congested());
  if (!congested() || written_ >= most_pending) {
    pending_.erase(0, written_);
    written_ = 0;
  }
  if (!congested() && std::exchange(watching_writable_, false)) loop_.unwatch(fd_);
  if (file_.sharer != nullptr && !file_.cut_line) file_.sharer->watch_writable();
  if (owner_ != nullptr)
    owner_->last_output = clock::now();  // it may have had to wait for the reader
  watch_sources();
}

// The ranks get what they would have got without am-run: a pipe without a reader.
void sink::on_write_error(int error) {
  broken_ = true;
  if (std::exchange(watching_writable_, false)) loop_.unwatch(fd_);
  pending_.clear();
  written_ = 0;
  if (std::exchange(file_.cut_line, false) && file_.sharer != nullptr)
    file_.sharer->watch_writable();
  owner_ = nullptr;
  for (const auto& each : sources_) {
    if (each->origin != nullptr) each->origin->on_closed();
    if (each->open()) close(*each);
  }
  error == EPIPE ? signals::keep_broken_pipe() : on_error_(error);
}

void sink::finish() {
  for (const auto& each : sources_) {
    each->buffered.append(std::exchange(each->arrived, {}));
    if (each->open()) close(*each);
    put(*each, each->buffered);
    each->buffered.clear();
  }
}

}  // namespace am::detail::run

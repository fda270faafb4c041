// Sources are read only while there is room for what they say: so a reader who stops (a pager)
// stops the ranks, and am-run stays responsive.
#include <libam/base/format.hpp>
#include <libam/tools/am-run/output.hpp>
#include <libam/tools/words.hpp>

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
constexpr std::size_t most_held = 1U << 20;
constexpr std::chrono::seconds patience{1};
// What a pipe that reports room takes without making us wait.
constexpr std::size_t write_piece = 4096;

}  // namespace

void sink::add(am_rank rank, base::fd pipe) {
  if (broken_) return;  // as the others' pipes, it closes
  ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  sources_.push_back(std::make_unique<source>());
  source& added = *sources_.back();
  added.rank = rank;
  added.pipe = std::move(pipe);
  ++open_;
  watch_sources();
}

void sink::say(std::string_view line) {
  if (broken_) return;
  end_line();
  pending_.append(line);
  want_room();
}

// Whoever may speak now is watched, the others are not.
void sink::watch_sources() {
  const bool room = backlog() < most_pending;
  for (const auto& each : sources_) {
    source& s = *each;
    if (!s.pipe.valid()) continue;
    const bool may_speak = room && (owner_ == nullptr || owner_ == &s || s.held.size() < most_held);
    if (may_speak == s.watched) continue;
    s.watched = may_speak;
    if (may_speak) {
      loop_.watch(s.pipe.get(), EPOLLIN, [this, &s] { read_from(s); });
    } else {
      loop_.forget(s.pipe.get());
    }
  }
}

void sink::read_from(source& from) {
  std::array<char, 1U << 16> room;
  const ssize_t count = ::read(from.pipe.get(), room.data(), room.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    close(from);
  } else {
    from.held.append(room.data(), static_cast<std::size_t>(count));
    if (owner_ == nullptr || owner_ == &from) pass_lines(from);
  }
  watch_sources();
}

void sink::close(source& from) {
  if (from.watched) loop_.forget(from.pipe.get());
  from.watched = false;
  from.pipe = base::fd();
  --open_;
  if (owner_ != &from) return;
  // A long line without an end: the next one to speak ends it.
  owner_ = nullptr;
  for (const auto& each : sources_) pass_lines(*each);
}

void sink::pass_lines(source& from) {
  const auto last = from.held.rfind('\n');
  if (last != std::string::npos) {
    const bool was_owner = owner_ == &from;
    const std::string rest = from.held.substr(last + 1);
    from.held.resize(last + 1);
    put(from, from.held);
    from.held = rest;
    if (was_owner) {
      owner_ = nullptr;
      for (const auto& each : sources_)
        if (each.get() != &from && owner_ == nullptr) pass_lines(*each);
    }
  }
  if (owner_ == &from || (owner_ == nullptr && from.held.size() >= most_held)) pass_part(from);
}

void sink::end_line() {
  if (std::exchange(mid_line_, false)) pending_.push_back('\n');
}

void sink::pass_part(source& from) {
  if (owner_ != &from) end_line();  // of an owner who has gone, or has been silent for too long
  owner_ = &from;
  owner_spoke_ = clock::now();
  put(from, from.held);
  from.held.clear();
}

std::optional<sink::clock::time_point> sink::patience_ends() const {
  const auto waits = [this](const auto& each) {
    return each.get() != owner_ && each->pipe.valid() && each->held.size() >= most_held;
  };
  if (owner_ == nullptr || backlog() >= most_pending || std::ranges::none_of(sources_, waits))
    return std::nullopt;
  return owner_spoke_ + patience;
}

void sink::cut_long_line(clock::time_point now) {
  const auto end = patience_ends();
  if (!end || now < *end) return;
  owner_ = nullptr;
  for (const auto& each : sources_) pass_lines(*each);
  watch_sources();
}

// `text` begins where the last one of the owner ended, or a new line.
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
  want_room();
}

void sink::want_room() {
  if (watching_room_ || broken_ || !congested()) return;
  watching_room_ = loop_.watch(fd_, EPOLLOUT, [this] { write_now(false); });
  if (!watching_room_) write_now(true);  // a file: it always takes all
}

void sink::write_now(bool everything) {
  do {
    const std::size_t piece = everything ? backlog() : std::min(backlog(), write_piece);
    const ssize_t count = ::write(fd_, pending_.data() + written_, piece);
    if (count >= 0) {
      written_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN && everything) {
      ::usleep(1000);  // somebody has made this stream non-blocking
    } else if (errno != EAGAIN && errno != EINTR) {
      return break_off(errno);
    }
  } while (everything && congested());
  if (!congested() || written_ >= most_pending) {
    pending_.erase(0, written_);
    written_ = 0;
  }
  if (!congested() && std::exchange(watching_room_, false)) loop_.forget(fd_);
  owner_spoke_ = clock::now();  // it may have had to wait for the reader
  watch_sources();
}

// The ranks get what they would have got without am-run between: a pipe that nobody reads.
void sink::break_off(int error) {
  broken_ = true;
  if (std::exchange(watching_room_, false)) loop_.forget(fd_);
  pending_.clear();
  written_ = 0;
  owner_ = nullptr;
  for (const auto& each : sources_)
    if (each->pipe.valid()) close(*each);
  if (error != EPIPE) lost_(error);
}

void sink::finish() {
  for (const auto& each : sources_) {
    if (each->pipe.valid()) close(*each);
    put(*each, each->held);
    each->held.clear();
  }
}

}  // namespace am::detail::run

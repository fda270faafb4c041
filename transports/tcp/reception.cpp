#include <libam/base/log.hpp>
#include <libam/base/why.hpp>
#include <transports/tcp/address.hpp>
#include <transports/tcp/reception.hpp>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace am::detail::tcp {

namespace {

using namespace std::chrono_literals;

// Two ranks that both poll are through in less than a millisecond.
constexpr auto patience = 2s;
// Held at a time: the next one takes the place of the oldest, so that a crowd of silent ones keeps
// nobody out, and all of them together hold little of this rank's memory.
constexpr std::size_t most_guests = 128;
constexpr std::size_t most_guest_bytes = 512;
static_assert(most_guests * most_guest_bytes <= std::size_t{64} * 1024);

constexpr char slow[] = "it has not proved for 2 s who it is";
// Whoever knocks at all doors may not fill the log.
constexpr unsigned most_lines = 10;

std::string name_of_far_end(int socket) {
  const auto far = address::far_end_of(socket);
  return far ? far->text() : "nowhere";
}

}  // namespace

reception::reception(base::fd listener, watcher& sockets, const seam::job_secret& secret,
                     am_rank me, am_rank ranks) noexcept
    : listener_(std::move(listener)), sockets_(sockets), secret_(secret), me_(me), ranks_(ranks) {}

void reception::open_door(clock::time_point now) {
  static_assert(sizeof(guest) + 4 * sizeof(void*) <= most_guest_bytes);
  for (;;) {
    base::fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) {
      // Those that wait at the door come in when descriptors are free again.
      if (errno == EMFILE || errno == ENFILE) {
        if (guests_.empty()) return;
        refuse(guests_.begin(), "there are no descriptors for more");
        continue;
      }
      return;
    }
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (guests_.size() == most_guests)
      refuse(guests_.begin(), "others wait that may be quicker to prove who they are");
    const std::uint32_t number = next_number_++;
    if (!sockets_.watch(socket.get(), watched::visitor, number, false)) continue;
    std::string from = name_of_far_end(socket.get());
    guests_.push_back({number, now + patience, visitor(std::move(socket), secret_, me_, ranks_),
                       std::move(from)});
  }
}

std::list<reception::guest>::iterator reception::find(std::uint32_t number) noexcept {
  return std::ranges::find(guests_, number, &guest::number);
}

std::optional<am_rank> reception::hear(std::uint32_t number) {
  const auto which = find(number);
  if (which == guests_.end()) return std::nullopt;
  switch (which->who.go()) {
    case stage::talking: return std::nullopt;
    case stage::failed:
      if (which->who.has_gone())
        say_goodbye_to(which);
      else
        refuse(which, which->who.why());
      return std::nullopt;
    case stage::proven: break;
  }
  return which->who.peer();
}

base::fd reception::dismiss(std::uint32_t number, verdict what) {
  const auto which = find(number);
  const bool there = which->who.say_verdict(what);
  base::fd socket = which->who.take_socket();
  guests_.erase(which);
  return there ? std::move(socket) : base::fd();
}

void reception::turn_out_the_slow(clock::time_point now) {
  while (!guests_.empty() && guests_.front().deadline <= now) turn_out(guests_.begin());
}

reception::clock::time_point reception::next_deadline() const noexcept {
  return guests_.empty() ? clock::time_point::max() : guests_.front().deadline;
}

// Whoever has said nothing wrong may be a rank that computes, and will call again.
void reception::turn_out(std::list<guest>::iterator which) {
  if (which->who.is_in_the_midst()) return refuse(which, slow);
  base::log(base::log_level::info, "tcp: a connection from {} is closed: {}", which->from, slow);
  guests_.erase(which);
}

// A rank that has dropped its call, or somebody who has only tried the door.
void reception::say_goodbye_to(std::list<guest>::iterator which) {
  base::log(base::log_level::debug, "tcp: a connection from {} has ended: {}", which->from,
            which->who.why());
  guests_.erase(which);
}

void reception::refuse(std::list<guest>::iterator which, std::string_view why) {
  ++refused_;
  if (refused_ <= most_lines)
    base::log(base::log_level::warn, "tcp: a connection from {} is refused: {}", which->from, why);
  if (refused_ == most_lines)
    base::log(base::log_level::warn, "tcp: further refusals are not told");
  guests_.erase(which);
}

}  // namespace am::detail::tcp

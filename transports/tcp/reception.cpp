#include <libam/base/log.hpp>
#include <libam/base/why.hpp>
#include <transports/tcp/address.hpp>
#include <transports/tcp/reception.hpp>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace am::detail::tcp {

namespace {

using namespace std::chrono_literals;

// A rank says what it has to say all at once. One that computes may say nothing for a while.
constexpr auto patience_with_a_part = 2s;
constexpr auto patience_with_silence = 60s;
// Accepted at a look, so that who is reached by many or by a fool goes on with other things.
constexpr unsigned most_at_once = 32;
constexpr auto shut_for = 10ms;
// Held at a time, beside one for each rank: the next one takes the place of the oldest, so that a
// crowd of silent ones keeps nobody out, and all of them together hold little of this rank's
// memory.
constexpr std::size_t most_strangers = 128;
constexpr std::size_t most_guest_bytes = 512;
static_assert(most_strangers * most_guest_bytes <= std::size_t{64} * 1024);

// Whoever knocks at all doors may not fill the log.
constexpr unsigned most_lines = 10;

std::string name_of_far_end(int socket) {
  const auto far = address::far_end_of(socket);
  return far ? far->text() : "nowhere";
}

base::fd accept_at(int door) noexcept {
  return base::fd(::accept4(door, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

base::fd copy_of(int descriptor) noexcept {
  return base::fd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

}  // namespace

reception::reception(std::vector<base::fd> doors, watcher& sockets, const identity& me) noexcept
    : doors_(std::move(doors)), spare_(copy_of(doors_.front().get())), sockets_(sockets), me_(me) {}

std::vector<std::uint32_t> reception::open_door(std::uint32_t number, clock::time_point now) {
  const int door = doors_[number].get();
  std::vector<std::uint32_t> newcomers;
  for (unsigned i = 0; i < most_at_once; ++i) {
    base::fd socket = accept_at(door);
    if (socket.valid()) {
      if (let_in(std::move(socket), now)) newcomers.push_back(guests_.back().number);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno == EMFILE || errno == ENFILE) {
      if (!turn_away(door, errno)) shut_doors(now);
      break;
    } else if (errno == ENOBUFS || errno == ENOMEM) {
      shut_doors(now);
      break;
    }
  }
  return newcomers;
}

// Who can have no descriptor here hears it, and goes on elsewhere or gives up; outside he would
// wait for ever. False: there is not even one to tell him by.
bool reception::turn_away(int door, int why) {
  if (!std::exchange(has_turned_away_, true))
    base::log(base::log_level::warn, "tcp: nobody more can be let in: {}", base::why(why));
  if (!spare_.valid()) return false;
  spare_ = {};
  sockets_.close(accept_at(door));
  spare_ = copy_of(door);
  return true;
}

// Those who wait outside would keep a rank from sleeping that cannot let them in.
void reception::shut_doors(clock::time_point now) noexcept {
  for (const base::fd& door : doors_) sockets_.forget(door.get());
  shut_until_ = now + shut_for;
}

bool reception::let_in(base::fd socket, clock::time_point now) {
  static_assert(sizeof(guest) + 4 * sizeof(void*) <= most_guest_bytes);
  static_assert(most_strangers >= std::size_t{2} * most_at_once);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::uint32_t number = next_number_++;
  if (!sockets_.watch(socket.get(), watched::visitor, number, false)) return false;
  if (guests_.size() == most_strangers + me_.ranks)
    refuse(guests_.begin(), "others wait that may be quicker to prove who they are");
  std::string from = name_of_far_end(socket.get());
  guests_.push_back({number, now, visitor(std::move(socket), me_), std::move(from)});
  return true;
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
        part_with(which, which->who.why());
      else
        refuse(which, which->who.why());
      return std::nullopt;
    case stage::proven: break;
  }
  return which->who.peer();
}

std::optional<line> reception::welcome(std::uint32_t number) {
  const auto which = find(number);
  std::optional<line> made;
  if (which->who.say_verdict(verdict::welcome)) made = which->who.take_line();
  close(which);
  return made;
}

void reception::dismiss(std::uint32_t number, verdict why) {
  const auto which = find(number);
  (void)which->who.say_verdict(why);
  close(which);
}

// ---- turning out --------------------------------------------------------------------------------

reception::clock::time_point reception::deadline_of(const guest& one) noexcept {
  return one.came + (one.who.is_in_the_midst() ? clock::duration(patience_with_a_part)
                                               : clock::duration(patience_with_silence));
}

void reception::tend(clock::time_point now) {
  for (auto at = guests_.begin(); at != guests_.end();) {
    const auto which = at++;
    if (deadline_of(*which) > now || which->who.waits_to_be_heard()) continue;
    if (which->who.is_in_the_midst())
      refuse(which, "it has not proved for 2 s who it is");
    else
      part_with(which, "it has not said for 60 s who it is");
  }
  if (shut_until_ > now) return;
  shut_until_ = clock::time_point::max();
  for (std::uint32_t i = 0; i < doors_.size(); ++i)
    if (!sockets_.watch(doors_[i].get(), watched::listener, i, false)) shut_until_ = now + shut_for;
  if (!spare_.valid()) spare_ = copy_of(doors_.front().get());
}

reception::clock::time_point reception::next_deadline() const noexcept {
  clock::time_point first = shut_until_;
  for (const guest& one : guests_) first = std::min(first, deadline_of(one));
  return first;
}

// A rank that has dropped its call or computes, or somebody who has only tried the door.
void reception::part_with(std::list<guest>::iterator which, std::string_view why) {
  base::log(base::log_level::debug, "tcp: a connection from {} has ended: {}", which->from, why);
  close(which);
}

void reception::refuse(std::list<guest>::iterator which, std::string_view why) {
  ++refused_;
  if (refused_ <= most_lines)
    base::log(base::log_level::warn, "tcp: a connection from {} is refused: {}", which->from, why);
  if (refused_ == most_lines)
    base::log(base::log_level::warn, "tcp: further refusals are not told");
  close(which);
}

void reception::close(std::list<guest>::iterator which) {
  sockets_.close(which->who.take_socket());
  guests_.erase(which);
}

}  // namespace am::detail::tcp

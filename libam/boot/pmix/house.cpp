#include <libam/base/abstract_socket.hpp>
#include <libam/base/bell.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/passing.hpp>
#include <libam/base/why.hpp>
#include <libam/boot/pmix/house.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <span>
#include <thread>
#include <utility>

namespace am::detail::pmix {

namespace {

using clock = std::chrono::steady_clock;

// All ranks of a host come out of one fence, so nobody has to be waited for who has yet to start.
constexpr std::chrono::seconds patience{20};
// So many may stand at the door and not say who they are; then the first of them has to go.
constexpr std::size_t most_silent = 1000;

struct hello {
  am_rank rank;
  std::uint32_t exchanges_pidfds;
  seam::job_secret secret;
};

// Pidfds, of the ranks at these places; but the first brings what is for the guest itself.
struct gift {
  std::uint32_t left;   // so many messages follow
  std::uint32_t count;  // so many descriptors are with this one
  std::uint32_t places[base::most_passed];
};

int left_until(clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now()).count();
  return static_cast<int>(std::max<long long>(left, 0));
}

bool wait_for(int socket, clock::time_point end) {
  for (;;) {
    pollfd one{socket, POLLIN, 0};
    const int ready = ::poll(&one, 1, left_until(end));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// The kernel waits while the door has a queue, until a signal comes.
bool go_to(const base::socket_address& there, int socket, clock::time_point end) {
  while (::connect(socket, there.get(), there.size()) != 0)
    if (errno != EINTR || clock::now() >= end) return false;
  return true;
}

bool is_of_this_user(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == ::geteuid();
}

// A message of a SOCK_SEQPACKET socket is whole, or there is none.
template <class Message>
bool send(int socket, const Message& message, std::span<const int> descriptors,
          clock::time_point end) {
  const std::string_view bytes(reinterpret_cast<const char*>(&message), sizeof message);
  return base::pass_with(socket, bytes, descriptors, 0, end);
}

template <class Message>
bool receive(int socket, Message& message, std::vector<base::fd>& descriptors) {
  return base::receive_with(socket, std::as_writable_bytes(std::span(&message, 1)), descriptors,
                            MSG_DONTWAIT) == static_cast<long>(sizeof message);
}

// Invalid where the kernel has none (before 5.3) or denies them.
base::fd own_pidfd() {
  return base::fd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
}

std::size_t place_of(const household& all, am_rank rank) {
  return static_cast<std::size_t>(std::ranges::lower_bound(all.ranks, rank) - all.ranks.begin());
}

// One who has come and proved who he is.
struct guest {
  base::fd socket;
  bool exchanges_pidfds = false;
};

bool map_roll(base::fd memory, std::size_t ranks, share& got, std::string& why) {
  const std::size_t bytes = ranks * sizeof(entry);
  if (got.roll.map(std::move(memory), bytes) == AM_OK && got.roll.reserve(0, bytes) == AM_OK)
    return true;
  why = base::error_text();
  return false;
}

// Whether somebody has come who is not here yet.
bool let_in(base::fd socket, const household& all, std::vector<guest>& guests, share& got) {
  hello said{};
  std::vector<base::fd> came;
  if (!receive(socket.get(), said, came) || said.secret != all.secret) return false;
  const std::size_t place = place_of(all, said.rank);
  if (place == all.ranks.size() || said.rank == all.self || all.ranks[place] != said.rank ||
      guests[place].socket.valid())
    return false;
  if (!came.empty()) got.pidfds[place] = std::move(came.front());
  guests[place] = {std::move(socket), said.exchanges_pidfds != 0};
  return true;
}

// One that knocks; strangers of other users are not even asked who they are.
void answer_door(int door, std::vector<base::fd>& silent) {
  base::fd socket(::accept4(door, nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid() && errno != EAGAIN)  // there may be descriptors again soon
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!socket.valid() || !is_of_this_user(socket.get())) return;
  if (silent.size() == most_silent) silent.erase(silent.begin());
  silent.push_back(std::move(socket));
}

// By place. Nobody waits for another who takes his time.
std::vector<guest> receive_guests(int door, const household& all, share& got,
                                  clock::time_point end) {
  std::vector<guest> guests(all.ranks.size());
  std::vector<base::fd> silent;  // have yet to say who they are
  std::size_t missing = guests.size() - 1;
  while (missing != 0) {
    std::vector<pollfd> watched;
    for (const base::fd& one : silent) watched.push_back({one.get(), POLLIN, 0});
    watched.push_back({door, POLLIN, 0});
    const int ready = ::poll(watched.data(), watched.size(), left_until(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    for (std::size_t i = silent.size(); i-- > 0;) {
      if (watched[i].revents == 0) continue;
      if (let_in(std::move(silent[i]), all, guests, got)) --missing;
      silent.erase(silent.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (watched.back().revents != 0) answer_door(door, silent);
  }
  return guests;
}

std::uint32_t messages_for(std::size_t descriptors) {
  return static_cast<std::uint32_t>((descriptors + base::most_passed - 1) / base::most_passed);
}

// In as many messages as they need.
bool give_pidfds(int socket, const share& got, std::vector<std::uint32_t> places,
                 clock::time_point end) {
  while (!places.empty()) {
    gift one{};
    std::vector<int> descriptors;
    while (!places.empty() && descriptors.size() < base::most_passed) {
      one.places[descriptors.size()] = places.back();
      descriptors.push_back(got.pidfds[places.back()].get());
      places.pop_back();
    }
    one.left = messages_for(places.size());
    one.count = static_cast<std::uint32_t>(descriptors.size());
    if (!send(socket, one, descriptors, end)) return false;
  }
  return true;
}

bool give(const guest& who, int memory, int roll, const share& got, clock::time_point end) {
  base::fd bell;
  if (base::bell::create(bell) != AM_OK) return false;
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; who.exchanges_pidfds && place < got.pidfds.size(); ++place)
    if (got.pidfds[place].valid()) places.push_back(place);
  const int own[] = {memory, roll, bell.get()};
  gift first{};
  first.left = messages_for(places.size());
  first.count = std::size(own);
  return send(who.socket.get(), first, own, end) &&
         give_pidfds(who.socket.get(), got, std::move(places), end);
}

}  // namespace

am_status door::open(door& made) {
  base::fd socket = base::make_abstract_socket(SOCK_SEQPACKET | SOCK_NONBLOCK);
  const base::socket_name name =
      socket.valid() ? base::name_of_socket(socket.get()) : base::no_socket;
  if (name == base::no_socket || ::listen(socket.get(), SOMAXCONN) != 0)
    return base::fail(AM_RESOURCE_DESCRIPTORS, "join: no socket to share memory by: {}",
                      base::why(errno));
  made.name_ = name;
  made.socket_ = std::move(socket);
  return AM_OK;
}

bool hand_out(const door& at, const household& all, const std::string& folder, share& got,
              std::string& why) {
  base::fd roll;
  if (base::shared_memory::create(got.memory, folder) != AM_OK ||
      base::shared_memory::create(roll, folder) != AM_OK || base::bell::create(got.bell) != AM_OK) {
    why = base::error_text();
    return false;
  }
  base::fd own_roll(::fcntl(roll.get(), F_DUPFD_CLOEXEC, 0));
  if (!own_roll.valid()) why = base::format("shared memory: dup: {}", base::why(errno));
  if (!own_roll.valid() || !map_roll(std::move(own_roll), all.ranks.size(), got, why)) return false;
  got.pidfds.resize(all.ranks.size());
  if (all.exchanges_pidfds) got.pidfds[place_of(all, all.self)] = own_pidfd();

  auto end = clock::now() + patience;
  const std::vector<guest> guests = receive_guests(at.socket(), all, got, end);
  // Those who have not come may still be reached in another way.
  end = clock::now() + patience;
  for (const guest& one : guests)
    if (one.socket.valid()) (void)give(one, got.memory.get(), roll.get(), got, end);
  return true;
}

bool ask_for(std::uint64_t door_name, const household& all, share& got, std::string& why) {
  const auto failed = [&](const char* stage) {
    why = base::format("rank {} shares no memory with this one: {}: {}", all.ranks.front(), stage,
                       base::why(errno));
    return false;
  };
  const base::fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const base::socket_address there(door_name);
  const timeval limit{patience.count(), 0};  // where it does not open the door to a queue
  if (!socket.valid() ||
      ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      !go_to(there, socket.get(), clock::now() + patience))
    return failed("its socket cannot be reached from here");
  if (!is_of_this_user(socket.get())) {
    errno = EPERM;
    return failed("its socket belongs to another user");
  }
  const base::fd own = all.exchanges_pidfds ? own_pidfd() : base::fd();
  const int number = own.get();
  const std::span<const int> pidfd(&number, own.valid() ? 1 : 0);
  // It answers when all have come, or patience is at its end.
  const auto end = clock::now() + 3 * patience;
  if (!send(socket.get(), hello{all.self, all.exchanges_pidfds, all.secret}, pidfd, end))
    return failed("it does not listen");
  const auto take = [&](gift& came, std::vector<base::fd>& descriptors) {
    errno = ETIMEDOUT;
    return wait_for(socket.get(), end) && receive(socket.get(), came, descriptors) &&
           descriptors.size() == came.count;
  };
  gift came{};
  std::vector<base::fd> own_gifts;
  if (!take(came, own_gifts) || own_gifts.size() != 3) return failed("it gives none");
  got.pidfds.resize(all.ranks.size());
  while (came.left != 0) {
    std::vector<base::fd> pidfds;
    if (!take(came, pidfds)) return failed("it has told of some ranks only");
    for (std::size_t i = 0; i < pidfds.size(); ++i)
      if (came.places[i] < got.pidfds.size()) got.pidfds[came.places[i]] = std::move(pidfds[i]);
  }
  got.memory = std::move(own_gifts[0]);
  got.bell = std::move(own_gifts[2]);
  return map_roll(std::move(own_gifts[1]), all.ranks.size(), got, why);
}

}  // namespace am::detail::pmix

#include <libam/base/bell.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/why.hpp>
#include <libam/boot/pmix/house.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace am::detail::pmix {

namespace {

using clock = std::chrono::steady_clock;

// All ranks of a host come out of one fence, so nobody has to be waited for who has yet to start.
constexpr std::chrono::seconds patience{20};
// How long somebody may keep the door busy who does not say who he is.
constexpr std::chrono::seconds stranger_patience{2};

constexpr std::size_t name_bytes = 5;  // of an abstract socket that the kernel has named
constexpr socklen_t address_bytes = offsetof(sockaddr_un, sun_path) + 1 + name_bytes;
constexpr std::size_t most_passed = 200;  // descriptors in one message; the kernel takes 253

struct hello {
  am_rank rank;
  std::uint32_t exchanges_pidfds;
  seam::job_secret secret;
};

// Pidfds, of the ranks at these places; but the first brings what is for the guest itself.
struct gift {
  std::uint32_t left;  // so many messages follow
  std::uint32_t places[most_passed];
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

bool is_of_this_user(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == ::geteuid();
}

// One message of a SOCK_SEQPACKET socket with descriptors.
template <class Message>
bool send_with(int socket, const Message& message, std::span<const int> descriptors) {
  iovec part{const_cast<Message*>(&message), sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(most_passed * sizeof(int))] = {};
  msghdr whole{};
  whole.msg_iov = &part;
  whole.msg_iovlen = 1;
  if (!descriptors.empty()) {
    whole.msg_control = control;
    whole.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const head = CMSG_FIRSTHDR(&whole);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
  }
  return ::sendmsg(socket, &whole, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof message);
}

template <class Message>
bool receive_with(int socket, Message& message, std::vector<base::fd>& descriptors) {
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(most_passed * sizeof(int))];
  msghdr whole{};
  whole.msg_iov = &part;
  whole.msg_iovlen = 1;
  whole.msg_control = control;
  whole.msg_controllen = sizeof control;
  const ssize_t came = ::recvmsg(socket, &whole, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  for (cmsghdr* head = came < 0 ? nullptr : CMSG_FIRSTHDR(&whole); head != nullptr;
       head = CMSG_NXTHDR(&whole, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + sizeof(int) <= head->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + at, sizeof number);
      descriptors.emplace_back(number);
    }
  }
  return came == static_cast<ssize_t>(sizeof message) && (whole.msg_flags & MSG_CTRUNC) == 0;
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

void let_in(int socket, const household& all, std::vector<guest>& guests, share& got) {
  guest who{base::fd(::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC)), false};
  if (!who.socket.valid() || !is_of_this_user(who.socket.get())) return;
  hello said{};
  std::vector<base::fd> came;
  if (!wait_for(who.socket.get(), clock::now() + stranger_patience) ||
      !receive_with(who.socket.get(), said, came) || said.secret != all.secret)
    return;
  const std::size_t place = place_of(all, said.rank);
  if (place == all.ranks.size() || all.ranks[place] != said.rank || guests[place].socket.valid())
    return;
  who.exchanges_pidfds = said.exchanges_pidfds != 0;
  if (!came.empty()) got.pidfds[place] = std::move(came.front());
  guests[place] = std::move(who);
}

// The pidfds, in as many messages as they need, the last first.
bool give_pidfds(int socket, const share& got) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < got.pidfds.size(); ++place)
    if (got.pidfds[place].valid()) places.push_back(place);
  while (!places.empty()) {
    gift one{};
    std::vector<int> descriptors;
    while (!places.empty() && descriptors.size() < most_passed) {
      one.places[descriptors.size()] = places.back();
      descriptors.push_back(got.pidfds[places.back()].get());
      places.pop_back();
    }
    one.left = static_cast<std::uint32_t>((places.size() + most_passed - 1) / most_passed);
    if (!send_with(socket, one, descriptors)) return false;
  }
  return true;
}

bool give(const guest& who, int memory, int roll, const share& got) {
  base::fd bell;
  if (base::bell::create(bell) != AM_OK) return false;
  gift one{};
  const auto known = std::ranges::count_if(got.pidfds, [](const auto& fd) { return fd.valid(); });
  if (who.exchanges_pidfds)
    one.left = (static_cast<std::uint32_t>(known) + most_passed - 1) / most_passed;
  const int own[] = {memory, roll, bell.get()};
  if (!send_with(who.socket.get(), one, own)) return false;
  return one.left == 0 || give_pidfds(who.socket.get(), got);
}

}  // namespace

am_status door::open(door& made) {
  base::fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un own{AF_UNIX, {}};
  socklen_t size = sizeof own;
  // Bound to nothing but the family, it gets an abstract name that is free.
  if (!socket.valid() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own.sun_family) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
      size != address_bytes)
    return base::fail(AM_RESOURCE_DESCRIPTORS, "join: no socket to share memory by: {}",
                      base::why(errno));
  std::memcpy(&made.name_, own.sun_path + 1, name_bytes);
  made.socket_ = std::move(socket);
  return AM_OK;
}

bool hand_out(const door& at, const household& all, const std::string& folder, share& got,
              std::string& why) {
  base::fd roll;
  base::fd own_roll;
  if (base::shared_memory::create(got.memory, folder) != AM_OK ||
      base::shared_memory::create(roll, folder) != AM_OK || base::bell::create(got.bell) != AM_OK) {
    why = base::error_text();
    return false;
  }
  own_roll = base::fd(::fcntl(roll.get(), F_DUPFD_CLOEXEC, 0));
  if (!own_roll.valid() || !map_roll(std::move(own_roll), all.ranks.size(), got, why)) return false;
  got.pidfds.resize(all.ranks.size());
  if (all.exchanges_pidfds) got.pidfds[place_of(all, all.self)] = own_pidfd();

  std::vector<guest> guests(all.ranks.size());
  const auto present = [](const guest& one) { return one.socket.valid(); };
  const auto end = clock::now() + patience;
  while (static_cast<std::size_t>(std::ranges::count_if(guests, present)) + 1 != guests.size()) {
    if (!wait_for(at.socket(), end)) break;
    let_in(at.socket(), all, guests, got);
  }
  // Those who have not come may still be reached in another way.
  for (const guest& one : guests)
    if (present(one)) (void)give(one, got.memory.get(), roll.get(), got);
  return true;
}

bool ask_for(std::uint64_t door_name, const household& all, share& got, std::string& why) {
  const auto failed = [&](const char* stage) {
    why = base::format("rank {} shares no memory with this one: {}: {}", all.ranks.front(), stage,
                       base::why(errno));
    return false;
  };
  const base::fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un there{AF_UNIX, {}};
  std::memcpy(there.sun_path + 1, &door_name, name_bytes);
  if (!socket.valid() ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&there), address_bytes) != 0)
    return failed("its socket cannot be reached from here");
  if (!is_of_this_user(socket.get())) {
    errno = EPERM;
    return failed("its socket belongs to another user");
  }
  const base::fd own = all.exchanges_pidfds ? own_pidfd() : base::fd();
  const int number = own.get();
  const std::span<const int> pidfd(&number, own.valid() ? 1 : 0);
  if (!send_with(socket.get(), hello{all.self, all.exchanges_pidfds, all.secret}, pidfd))
    return failed("it does not listen");

  // It answers when all have come, or patience is at its end.
  const auto end = clock::now() + 2 * patience;
  const auto take = [&](gift& came, std::vector<base::fd>& descriptors) {
    errno = ETIMEDOUT;
    return wait_for(socket.get(), end) && receive_with(socket.get(), came, descriptors);
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

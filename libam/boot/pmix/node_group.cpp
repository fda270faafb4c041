#include <libam/boot/pmix/node_group.hpp>

#include <libam/base/abstract_socket.hpp>
#include <libam/base/descriptor_passing.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/wakeup.hpp>

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

// All ranks of a host come out of one fence, so no rank has to be waited for that has yet to start.
constexpr std::chrono::seconds exchange_timeout{20};
// Connections that may be open and have not identified themselves; then the oldest is closed.
constexpr std::size_t max_unidentified = 1000;

struct hello {
  am_rank rank;
  std::uint32_t exchanges_pidfds;
  seam::job_secret secret;
};

// Pidfds of these local ranks; but the first message has the descriptors for the receiver itself.
struct fd_message {
  std::uint64_t host_id;    // of the memory
  std::uint32_t remaining;  // messages that follow
  std::uint32_t count;      // descriptors in this one
  std::uint32_t local_ranks[base::max_passed_descriptors];
};

// connect() waits while the listener's backlog is full, until a signal comes.
bool connect_retrying(const base::socket_address& there, int socket, clock::time_point end) {
  while (::connect(socket, there.get(), there.size()) != 0)
    if (errno != EINTR || clock::now() >= end) return false;
  return true;
}

bool is_of_this_user(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == ::geteuid();
}

// A message of a SOCK_SEQPACKET socket is received whole or not at all.
template <class Message>
bool send(int socket, const Message& message, std::span<const int> descriptors,
          clock::time_point end) {
  const std::string_view bytes(reinterpret_cast<const char*>(&message), sizeof message);
  return base::send_with_retry(socket, bytes, descriptors, 0, end);
}

template <class Message>
bool receive(int socket, Message& message, std::vector<base::fd>& descriptors) {
  return base::receive_with_descriptors(socket, std::as_writable_bytes(std::span(&message, 1)),
                                        descriptors,
                                        MSG_DONTWAIT) == static_cast<long>(sizeof message);
}

// Invalid where the kernel has none (before 5.3) or denies them.
base::fd own_pidfd() {
  return base::fd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
}

// A rank that has connected and proved who it is.
struct joined_rank {
  base::fd socket;
  bool exchanges_pidfds = false;
};

bool map_rank_table(base::fd memory, std::size_t ranks, node_resources& resources,
                    std::string& why) {
  const std::size_t bytes = ranks * sizeof(rank_entry);
  if (resources.rank_table.map(std::move(memory), bytes) == AM_OK &&
      resources.rank_table.reserve(0, bytes) == AM_OK)
    return true;
  why = base::error_text();
  return false;
}

// True: a rank has joined that had not before.
bool admit_rank(base::fd socket, const node_group& group, std::vector<joined_rank>& joined,
                node_resources& resources) {
  hello peer_hello{};
  std::vector<base::fd> received;
  if (!receive(socket.get(), peer_hello, received) || peer_hello.secret != group.secret)
    return false;
  const std::size_t local_rank = local_rank_of(group.ranks, peer_hello.rank);
  if (local_rank == group.ranks.size() || peer_hello.rank == group.self ||
      group.ranks[local_rank] != peer_hello.rank || joined[local_rank].socket.valid())
    return false;
  if (!received.empty()) resources.pidfds[local_rank] = std::move(received.front());
  joined[local_rank] = {std::move(socket), peer_hello.exchanges_pidfds != 0};
  return true;
}

// Accepts one connection; those of other users are closed at once.
void accept_connection(int listener, std::vector<base::fd>& unidentified) {
  base::fd socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid() && errno != EAGAIN)  // there may be descriptors again soon
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!socket.valid() || !is_of_this_user(socket.get())) return;
  if (unidentified.size() == max_unidentified) unidentified.erase(unidentified.begin());
  unidentified.push_back(std::move(socket));
}

// By local rank. No rank waits for a slow one.
std::vector<joined_rank> collect_ranks(int listener, const node_group& group,
                                       node_resources& resources, clock::time_point end) {
  std::vector<joined_rank> joined(group.ranks.size());
  std::vector<base::fd> unidentified;  // have not sent a hello
  std::size_t missing = joined.size() - 1;
  while (missing != 0) {
    std::vector<pollfd> watched;
    for (const base::fd& one : unidentified) watched.push_back({one.get(), POLLIN, 0});
    watched.push_back({listener, POLLIN, 0});
    const int ready = ::poll(watched.data(), watched.size(), base::milliseconds_until(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    for (std::size_t i = unidentified.size(); i-- > 0;) {
      if (watched[i].revents == 0) continue;
      if (admit_rank(std::move(unidentified[i]), group, joined, resources)) --missing;
      unidentified.erase(unidentified.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (watched.back().revents != 0) accept_connection(listener, unidentified);
  }
  return joined;
}

std::uint32_t messages_for(std::size_t descriptors) {
  return static_cast<std::uint32_t>((descriptors + base::max_passed_descriptors - 1) /
                                    base::max_passed_descriptors);
}

// In as many messages as necessary.
bool send_pidfds(int socket, const node_resources& resources,
                 std::vector<std::uint32_t> local_ranks, clock::time_point end) {
  while (!local_ranks.empty()) {
    fd_message one{};
    std::vector<int> descriptors;
    while (!local_ranks.empty() && descriptors.size() < base::max_passed_descriptors) {
      one.local_ranks[descriptors.size()] = local_ranks.back();
      descriptors.push_back(resources.pidfds[local_ranks.back()].get());
      local_ranks.pop_back();
    }
    one.remaining = messages_for(local_ranks.size());
    one.count = static_cast<std::uint32_t>(descriptors.size());
    if (!send(socket, one, descriptors, end)) return false;
  }
  return true;
}

bool send_resources(const joined_rank& who, int memory, int rank_table,
                    const node_resources& resources, clock::time_point end) {
  base::fd wakeup;
  if (base::wakeup::create(wakeup) != AM_OK) return false;
  std::vector<std::uint32_t> local_ranks;
  for (std::uint32_t local_rank = 0; who.exchanges_pidfds && local_rank < resources.pidfds.size();
       ++local_rank)
    if (resources.pidfds[local_rank].valid()) local_ranks.push_back(local_rank);
  const int own[] = {memory, rank_table, wakeup.get()};
  fd_message first{};
  first.host_id = resources.host_id;
  first.remaining = messages_for(local_ranks.size());
  first.count = std::size(own);
  return send(who.socket.get(), first, own, end) &&
         send_pidfds(who.socket.get(), resources, std::move(local_ranks), end);
}

}  // namespace

std::size_t local_rank_of(const std::vector<am_rank>& ranks, am_rank rank) noexcept {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

am_status node_listener::listen(node_listener& made) {
  base::fd socket = base::make_abstract_socket(SOCK_SEQPACKET | SOCK_NONBLOCK);
  const base::socket_name name =
      socket.valid() ? base::name_of_socket(socket.get()) : base::no_socket;
  if (name == base::no_socket || ::listen(socket.get(), SOMAXCONN) != 0)
    return base::fail(AM_RESOURCE_DESCRIPTORS, "join: no socket for sharing memory: {}",
                      base::errno_text(errno));
  made.name_ = name;
  made.socket_ = std::move(socket);
  return AM_OK;
}

bool serve_node_group(const node_listener& listener, const node_group& group,
                      const std::string& folder, node_resources& resources, std::string& why) {
  base::fd rank_table;
  if (base::shared_memory::create(resources.memory, folder) != AM_OK ||
      base::shared_memory::create(rank_table, folder) != AM_OK ||
      base::wakeup::create(resources.wakeup) != AM_OK) {
    why = base::error_text();
    return false;
  }
  base::fd own_table(::fcntl(rank_table.get(), F_DUPFD_CLOEXEC, 0));
  if (!own_table.valid()) why = base::format("shared memory: dup: {}", base::errno_text(errno));
  if (!own_table.valid() ||
      !map_rank_table(std::move(own_table), group.ranks.size(), resources, why))
    return false;
  resources.pidfds.resize(group.ranks.size());
  if (group.exchanges_pidfds)
    resources.pidfds[local_rank_of(group.ranks, group.self)] = own_pidfd();

  auto end = clock::now() + exchange_timeout;
  const std::vector<joined_rank> joined = collect_ranks(listener.socket(), group, resources, end);
  // Ranks that have not joined may still be reached by another transport.
  end = clock::now() + exchange_timeout;
  for (const joined_rank& one : joined)
    if (one.socket.valid())
      (void)send_resources(one, resources.memory.get(), rank_table.get(), resources, end);
  return true;
}

bool join_node_group(std::uint64_t listener_name, const node_group& group,
                     node_resources& resources, std::string& why) {
  const auto failed = [&](const char* stage) {
    why = base::format("rank {} shares no memory with this one: {}: {}", group.ranks.front(), stage,
                       base::errno_text(errno));
    return false;
  };
  const base::fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const base::socket_address there(listener_name);
  const timeval limit{exchange_timeout.count(), 0};  // where its backlog is full
  if (!socket.valid() ||
      ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      !connect_retrying(there, socket.get(), clock::now() + exchange_timeout))
    return failed("its socket cannot be reached from here");
  if (!is_of_this_user(socket.get())) {
    errno = EPERM;
    return failed("its socket belongs to another user");
  }
  const base::fd own = group.exchanges_pidfds ? own_pidfd() : base::fd();
  const int number = own.get();
  const std::span<const int> pidfd(&number, own.valid() ? 1 : 0);
  // It answers when all have joined, or its time is up.
  const auto end = clock::now() + 3 * exchange_timeout;
  if (!send(socket.get(), hello{group.self, group.exchanges_pidfds, group.secret}, pidfd, end))
    return failed("it does not listen");
  const auto receive_next = [&](fd_message& received, std::vector<base::fd>& descriptors) {
    errno = ETIMEDOUT;
    return base::wait_ready(socket.get(), POLLIN, end) &&
           receive(socket.get(), received, descriptors) && descriptors.size() == received.count;
  };
  fd_message received{};
  std::vector<base::fd> own_fds;
  if (!receive_next(received, own_fds) || own_fds.size() != 3)
    return failed("it has not sent its descriptors");
  resources.host_id = received.host_id;
  resources.pidfds.resize(group.ranks.size());
  while (received.remaining != 0) {
    std::vector<base::fd> pidfds;
    if (!receive_next(received, pidfds)) return failed("it has sent the pidfds of some ranks only");
    for (std::size_t i = 0; i < pidfds.size(); ++i)
      if (received.local_ranks[i] < resources.pidfds.size())
        resources.pidfds[received.local_ranks[i]] = std::move(pidfds[i]);
  }
  resources.memory = std::move(own_fds[0]);
  resources.wakeup = std::move(own_fds[2]);
  return map_rank_table(std::move(own_fds[1]), group.ranks.size(), resources, why);
}

}  // namespace am::detail::pmix

#include <calib/layers/job_connection.hpp>

#include <calib/layers/loopback.hpp>
#include <calib/program/report.hpp>

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace calib {
namespace {

constexpr int answer_ms = 2000;
constexpr const char* offer_key = "calib.sockets.offer";
constexpr const char* result_key = "calib.sockets.result";

// What the other rank has to know; addresses of this host, in network order, follow in the blob.
struct offer {
  std::uint64_t secret;  // sent first, so that no stranger's connection is taken
  std::array<in_port_t, most_connections> ports;  // a listener has the buffers of its connection
};

std::vector<in_addr> own_addresses() {
  std::vector<in_addr> out;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) report::system_fault("getifaddrs");
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next)
    if (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
        (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0)
      out.push_back(reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr);
  ::freeifaddrs(all);
  return out;
}

int make_listener(int buffers, in_port_t& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  set_buffers(listener, buffers);
  sockaddr_in local{};
  local.sin_family = AF_INET;
  socklen_t bytes = sizeof local;
  auto* const address = reinterpret_cast<sockaddr*>(&local);
  if (::bind(listener, address, bytes) != 0 || ::listen(listener, 16) != 0 ||
      ::getsockname(listener, address, &bytes) != 0)
    report::system_fault("cannot listen");
  port = local.sin_port;
  return listener;
}

bool is_ready(int socket, short events) {
  pollfd one{socket, events, 0};
  return ::poll(&one, 1, answer_ms) == 1;
}

// -1: it does not answer.
int connect_to(in_addr where, in_port_t port, int buffers) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  set_buffers(made, buffers);
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_addr = where;
  there.sin_port = port;
  (void)::connect(made, reinterpret_cast<const sockaddr*>(&there), sizeof there);
  int error = 0;
  socklen_t bytes = sizeof error;
  if (is_ready(made, POLLOUT) && ::getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 &&
      error == 0) {
    ::fcntl(made, F_SETFL, 0);
    return made;
  }
  ::close(made);
  return -1;
}

// None: no address answers.
std::vector<int> connect_all(std::span<const std::byte> blob, std::span<const int> buffers) {
  offer made{};
  std::memcpy(&made, blob.data(), sizeof made);
  for (std::size_t at = sizeof made; at + sizeof(in_addr) <= blob.size(); at += sizeof(in_addr)) {
    in_addr where{};
    std::memcpy(&where, blob.data() + at, sizeof where);
    std::vector<int> out;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const int end = connect_to(where, made.ports[i], buffers[i]);
      if (end < 0) break;
      out.push_back(end);
    }
    if (out.size() == buffers.size()) {  // the secret proves connections that are used, no others
      for (const int end : out) send_all(end, &made.secret, sizeof made.secret);
      return out;
    }
    for (const int end : out) ::close(end);
  }
  return {};
}

// The connection that begins with the secret; it has been made, perhaps behind others.
int accept_proven(int listener, std::uint64_t secret) {
  while (is_ready(listener, POLLIN)) {
    const int made = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (made < 0 && errno != EINTR && errno != ECONNABORTED) report::system_fault("accept");
    if (made < 0) continue;
    std::uint64_t theirs = 0;
    if (is_ready(made, POLLIN) &&
        ::recv(made, &theirs, sizeof theirs, MSG_DONTWAIT) == sizeof theirs && theirs == secret)
      return made;
    ::close(made);
  }
  report::fault("the connection of the other rank is not there");
}

}  // namespace

std::vector<int> connect_ranks(am::endpoint& ep, am::rank_id from, am::rank_id to,
                               std::span<const int> buffers) {
  std::vector<int> listeners;
  offer mine{};
  if (ep.rank() == to) {
    if (::getrandom(&mine.secret, sizeof mine.secret, 0) != sizeof mine.secret)
      report::system_fault("getrandom");
    for (std::size_t i = 0; i < buffers.size(); ++i)
      listeners.push_back(make_listener(buffers[i], mine.ports[i]));
    const std::vector<in_addr> addresses = own_addresses();
    std::vector<std::byte> blob(sizeof mine + addresses.size() * sizeof(in_addr));
    std::memcpy(blob.data(), &mine, sizeof mine);
    std::memcpy(blob.data() + sizeof mine, addresses.data(), blob.size() - sizeof mine);
    ep.job_put(offer_key, blob);
  }
  ep.job_fence();
  std::vector<int> out;
  if (ep.rank() == from) {
    out = connect_all(ep.job_get(to, offer_key), buffers);
    const std::byte connected{!out.empty()};
    ep.job_put(result_key, {&connected, 1});
  }
  ep.job_fence();
  if (ep.rank() == to && ep.job_get(from, result_key).front() != std::byte{0})
    for (const int listener : listeners) out.push_back(accept_proven(listener, mine.secret));
  for (const int listener : listeners) ::close(listener);
  for (const int end : out) set_no_delay(end);
  return out;
}

}  // namespace calib

#include <calib/layers/sleeping_peers.hpp>

#include <calib/program/report.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <span>

namespace calib {
namespace {

constexpr char key[] = "calib.door";

}  // namespace

// The kernel chooses an unused abstract name, because bind gets an empty one.
sleeping_peers::sleeping_peers(am::endpoint& ep) : peers_(ep.ranks() - 1) {
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  socklen_t bytes = sizeof name.sun_family;
  if (socket_ < 0) report::fault("no socket for the peers that sleep");
  if (ep.rank() == 0) {
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&name), bytes) != 0 ||
        ::listen(socket_, static_cast<int>(peers_)) != 0)
      report::fault("cannot listen for the peers that sleep");
    bytes = sizeof name;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&name), &bytes);
    ep.job_put(key, std::as_bytes(std::span(reinterpret_cast<const char*>(&name), bytes)));
  }
  ep.job_fence();
  if (ep.rank() == 0) return;
  const std::vector<std::byte> where = ep.job_get(0, key);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(where.data()),
                static_cast<socklen_t>(where.size())) != 0)
    report::fault("cannot reach rank 0 to sleep");
}

sleeping_peers::~sleeping_peers() {
  wake();
  ::close(socket_);
}

void sleeping_peers::sleep() {
  const char byte = 'z';
  char wakeup = 0;
  if (::write(socket_, &byte, 1) != 1) return;
  (void)!::read(socket_, &wakeup, 1);
}

void sleeping_peers::wait_until_asleep() {
  while (connections_.size() < peers_) {
    connections_.push_back(::accept(socket_, nullptr, nullptr));
    char byte = 0;
    if (connections_.back() < 0 || ::read(connections_.back(), &byte, 1) != 1)
      report::fault("a peer did not fall asleep");
  }
  ::usleep(20'000);
}

void sleeping_peers::wake() {
  for (const int connection : connections_) ::close(connection);
  connections_.clear();
}

}  // namespace calib

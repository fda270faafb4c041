#include <calib/layers/sleepers.hpp>

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

// The kernel chooses an unused abstract name for a socket that is bound to none.
sleepers::sleepers(am::endpoint& ep) : peers_(ep.ranks() - 1) {
  door_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  socklen_t bytes = sizeof name.sun_family;
  if (door_ < 0) report::fault("no socket for the peers that sleep");
  if (ep.rank() == 0) {
    if (::bind(door_, reinterpret_cast<sockaddr*>(&name), bytes) != 0 ||
        ::listen(door_, static_cast<int>(peers_)) != 0)
      report::fault("cannot listen for the peers that sleep");
    bytes = sizeof name;
    ::getsockname(door_, reinterpret_cast<sockaddr*>(&name), &bytes);
    ep.job_put(key, std::as_bytes(std::span(reinterpret_cast<const char*>(&name), bytes)));
  }
  ep.job_fence();
  if (ep.rank() == 0) return;
  const std::vector<std::byte> where = ep.job_get(0, key);
  if (::connect(door_, reinterpret_cast<const sockaddr*>(where.data()),
                static_cast<socklen_t>(where.size())) != 0)
    report::fault("cannot reach rank 0 to sleep");
}

sleepers::~sleepers() {
  wake();
  ::close(door_);
}

void sleepers::sleep() {
  const char yawn = 'z';
  char call = 0;
  if (::write(door_, &yawn, 1) != 1) return;
  (void)!::read(door_, &call, 1);
}

void sleepers::await() {
  while (beds_.size() < peers_) {
    beds_.push_back(::accept(door_, nullptr, nullptr));
    char yawn = 0;
    if (beds_.back() < 0 || ::read(beds_.back(), &yawn, 1) != 1)
      report::fault("a peer did not fall asleep");
  }
  ::usleep(20'000);
}

void sleepers::wake() {
  for (const int bed : beds_) ::close(bed);
  beds_.clear();
}

}  // namespace calib

#include <transports/tcp/vigil.hpp>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace am::detail::tcp {

namespace {

// Looks are counted and not seconds: while this rank computes, or its machine stands still, it
// cannot have heard anything. The last of them may come an eighth late.
constexpr unsigned looks_a_timeout = 8;
constexpr unsigned most_quiet_looks = looks_a_timeout - 1;
// So often the hosts of silent peers are asked, so that a lost answer is no silence; in whole
// seconds, as the system counts.
constexpr int questions_a_timeout = 4;
// Then the system gives up by itself, for a rank that does not look.
constexpr int most_unanswered = 4;

void set(int socket, int level, int option, int value) noexcept {
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

// Segments of any kind that have come so far; nothing where the system does not count them.
std::optional<std::uint32_t> segments(int socket) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  if (size < offsetof(tcp_info, tcpi_segs_in) + sizeof info.tcpi_segs_in) return std::nullopt;
  // A connection has taken some to make.
  return info.tcpi_segs_in == 0 ? std::nullopt : std::optional(info.tcpi_segs_in);
}

}  // namespace

void vigil::begin(am_rank peer, int socket) {
  const int pause = std::max(1, static_cast<int>(timeout_.count()) / questions_a_timeout);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, pause);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, pause);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, most_unanswered);
  all_.push_back({peer, socket, 0, 0});
}

void vigil::end(int socket) noexcept {
  std::erase_if(all_, [&](const connection& one) { return one.socket == socket; });
}

std::vector<am_rank> vigil::look(clock::time_point now) {
  std::vector<am_rank> silent;
  if (now < next_look_) return silent;
  next_look_ = now + clock::duration(timeout_) / looks_a_timeout;
  for (connection& one : all_) {
    const auto came = segments(one.socket);
    one.quiet_looks = came && *came == one.came ? one.quiet_looks + 1 : 0;
    one.came = came.value_or(0);
    if (one.quiet_looks == most_quiet_looks) silent.push_back(one.peer);
  }
  return silent;
}

vigil::clock::time_point vigil::next_deadline() const noexcept {
  return all_.empty() ? clock::time_point::max() : next_look_;
}

}  // namespace am::detail::tcp

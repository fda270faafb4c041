#include <libam/packed/keepalive.hpp>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace am::detail::packed {

namespace {

// Checks are counted and not seconds: while this rank computes, or its machine is suspended, it
// reads no counter. The last of them may come an eighth of the timeout late.
constexpr unsigned checks_per_timeout = 8;
constexpr unsigned max_silent_checks = checks_per_timeout - 1;
// Probes within the timeout, so that a lost answer is no silence; the system counts whole seconds.
constexpr int probes_per_timeout = 4;
// After these the system gives up by itself, for a rank that does not check.
constexpr int max_unanswered_probes = 4;

void set(int socket, int level, int option, int value) noexcept {
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

// TCP segments of any kind that have come so far; nothing where the system does not count them.
std::optional<std::uint32_t> tcp_segments_received(int socket) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  if (size < offsetof(tcp_info, tcpi_segs_in) + sizeof info.tcpi_segs_in) return std::nullopt;
  // The connection cannot have been made without any.
  return info.tcpi_segs_in == 0 ? std::nullopt : std::optional(info.tcpi_segs_in);
}

}  // namespace

void keepalive::add(std::uint32_t end, int socket) {
  const int probe_interval = std::max(1, static_cast<int>(timeout_.count()) / probes_per_timeout);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, probe_interval);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, probe_interval);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, max_unanswered_probes);
  monitored_.push_back({end, socket, 0, 0});
}

void keepalive::remove(int socket) noexcept {
  std::erase_if(monitored_, [&](const monitored_socket& one) { return one.socket == socket; });
}

std::vector<std::uint32_t> keepalive::check_silence(clock::time_point now) {
  std::vector<std::uint32_t> silent;
  if (now < next_check_) return silent;
  next_check_ = now + clock::duration(timeout_) / checks_per_timeout;
  for (monitored_socket& one : monitored_) {
    const auto received = tcp_segments_received(one.socket);
    one.silent_checks = received && *received == one.received ? one.silent_checks + 1 : 0;
    one.received = received.value_or(0);
  }
  for (const monitored_socket& one : monitored_)
    if (one.silent_checks >= max_silent_checks && is_silent(one.end) &&
        std::ranges::find(silent, one.end) == silent.end())
      silent.push_back(one.end);
  return silent;
}

bool keepalive::is_silent(std::uint32_t end) const noexcept {
  return std::ranges::all_of(monitored_, [&](const monitored_socket& one) {
    return one.end != end || one.silent_checks >= max_silent_checks;
  });
}

keepalive::clock::time_point keepalive::next_deadline() const noexcept {
  return monitored_.empty() ? clock::time_point::max() : next_check_;
}

}  // namespace am::detail::packed

#include <transports/ucx/host_monitor.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <utility>

namespace am::detail::ucx {

namespace {

// The clock of host_monitor::clock, a few milliseconds late.
host_monitor::clock::time_point coarse_now() noexcept {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return host_monitor::clock::time_point(std::chrono::seconds(now.tv_sec) +
                                         std::chrono::nanoseconds(now.tv_nsec));
}

bool is_writable(int socket) noexcept {
  pollfd one{socket, POLLOUT, 0};
  return ::poll(&one, 1, 0) == 1;
}

}  // namespace

bool host_monitor::by_host::operator()(const packed::address& one,
                                       const packed::address& other) const noexcept {
  return std::ranges::lexicographical_compare(one.host(), other.host());
}

void host_monitor::add(am_rank peer, std::span<const packed::address> listeners) {
  for (const packed::address& one : listeners) {
    const auto number = static_cast<std::uint32_t>(peers_.size());
    const auto [host, is_new] = numbers_.try_emplace(one, number);
    if (is_new) peers_.emplace_back();
    peers_[host->second].push_back(peer);
  }
}

bool host_monitor::is_due() const noexcept {
  return has_contact_ || (!numbers_.empty() && coarse_now() >= keepalive_.next_check());
}

std::vector<am_rank> host_monitor::check(clock::time_point now) {
  has_contact_ = false;
  find_connections();
  std::vector<am_rank> silent;
  for (const std::uint32_t host : keepalive_.check_silence(now))
    silent.insert(silent.end(), peers_[host].begin(), peers_[host].end());
  return silent;
}

// UCX closes its sockets without notice, and the system gives their numbers to others.
void host_monitor::find_connections() {
  by_socket found;
  for (const tcp_connection& one : connections_.find())
    if (numbers_.contains(one.far)) found.emplace(one.socket, one);
  const auto is_in = [](const by_socket& all, const tcp_connection& one) {
    const auto same_socket = all.find(one.socket);
    return same_socket != all.end() && same_socket->second == one;
  };
  for (const auto& [socket, one] : monitored_)
    if (!is_in(found, one)) keepalive_.remove(socket);
  for (const auto& [socket, one] : found)
    if (!is_in(monitored_, one)) keepalive_.add(numbers_.at(one.far), socket);
  monitored_ = std::move(found);
}

void host_monitor::shut_down_blocked() const noexcept {
  if (numbers_.empty()) return;
  for (const tcp_connection& one : connections_.find())
    if (numbers_.contains(one.far) && !is_writable(one.socket))
      (void)::shutdown(one.socket, SHUT_RDWR);
}

host_monitor::clock::time_point host_monitor::next_deadline() const noexcept {
  return numbers_.empty() ? clock::time_point::max() : keepalive_.next_check();
}

}  // namespace am::detail::ucx

// Detects that the host of a peer is silent, where UCX has connections through TCP with it. UCX
// leaves that to the system, which retransmits unacknowledged data for a quarter of an hour.
#pragma once

#include <libam/packed/address.hpp>
#include <libam/packed/keepalive.hpp>
#include <transports/ucx/tcp_connections.hpp>

#include <am/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace am::detail::ucx {

class host_monitor {
 public:
  using clock = packed::keepalive::clock;

  // `opened`: the descriptors that UCX has opened while it started.
  host_monitor(std::chrono::seconds timeout, std::span<const int> opened)
      : own_listeners_(listening_addresses(opened)), connections_(opened), keepalive_(timeout) {}

  // Where UCX listens in this process.
  [[nodiscard]] const std::vector<packed::address>& own_listeners() const noexcept {
    return own_listeners_;
  }
  [[nodiscard]] std::chrono::seconds timeout() const noexcept { return keepalive_.timeout(); }

  // Before first contact with a peer of another host, whose UCX listens there.
  void add(am_rank peer, std::span<const packed::address> listeners);
  // UCX may have made a connection: the next check looks for it at once.
  void note_contact() noexcept { has_contact_ = true; }

  // For each poll: it reads a clock that costs little.
  [[nodiscard]] bool is_due() const noexcept;
  // Looks for new connections, and returns the peers whose hosts have been silent for the timeout.
  std::vector<am_rank> check(clock::time_point now);
  // Ends the connections that accept no more data, before UCX ends: it sends a last message over
  // each, and would spin until the system accepts that or gives the connection up.
  void shut_down_blocked() const noexcept;
  // When a check is due; never while there are no other hosts.
  [[nodiscard]] clock::time_point next_deadline() const noexcept;

 private:
  // By the IP address of a host.
  struct by_host {
    bool operator()(const packed::address& one, const packed::address& other) const noexcept;
  };

  using by_socket = std::map<int, tcp_connection>;

  void find_connections();

  const std::vector<packed::address> own_listeners_;
  const tcp_connections connections_;
  packed::keepalive keepalive_;
  std::map<packed::address, std::uint32_t, by_host> numbers_;  // of other hosts
  std::vector<std::vector<am_rank>> peers_;                    // by the number of their host
  by_socket monitored_;
  bool has_contact_ = false;
};

}  // namespace am::detail::ucx

// The addresses of this host at which a rank listens and which it publishes, the best first.
#pragma once

#include <libam/base/networks.hpp>
#include <transports/tcp/connect/rank_address.hpp>

#include <span>
#include <string>
#include <vector>

namespace am::detail::tcp {

struct interface_address {
  std::string interface;     // "eth0"
  address where;             // its port is open
  bool last_choice = false;  // seldom reaches another rank: a bridge, a point-to-point link
};

// The addresses of all interfaces that are up.
std::vector<interface_address> local_interfaces();

// Those that AM_TCP_NET allows and that other ranks can reach. Where all ranks are on one host and
// the setting includes nothing by name: the loopback interface alone, if it is allowed.
std::vector<address> choose_addresses(std::span<const interface_address> interfaces,
                                      const base::networks& filter, bool one_host);

// "lo 127.0.0.1, eth0 192.0.2.2", for messages.
std::string describe_interfaces(std::span<const interface_address> interfaces);

}  // namespace am::detail::tcp

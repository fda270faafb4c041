// Which addresses of this host a rank listens at and tells the others, the best first.
#pragma once

#include <libam/base/networks.hpp>
#include <transports/tcp/address.hpp>

#include <span>
#include <string>
#include <vector>

namespace am::detail::tcp {

struct interface_address {
  std::string interface;     // "eth0"
  address where;             // its port is open
  bool last_choice = false;  // mostly leads to nobody: a bridge, a line from point to point
};

// Those of the interfaces that are up.
std::vector<interface_address> interfaces_here();

// Of these, what AM_TCP_NET allows and others can reach; the loopback interface alone, if it is
// allowed, where all ranks are on one host and nothing else is asked for by name.
std::vector<address> choose_addresses(std::span<const interface_address> here,
                                      const base::networks& wish, bool one_host);

// "lo 127.0.0.1, eth0 192.0.2.2", for people.
std::string list_of(std::span<const interface_address> here);

}  // namespace am::detail::tcp

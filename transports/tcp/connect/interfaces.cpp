#include <transports/tcp/connect/interfaces.hpp>

#include <libam/base/format.hpp>

#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace am::detail::tcp {

namespace {

// Each costs a descriptor; a host of containers has hundreds of addresses.
constexpr std::size_t most_addresses = 16;

// Docker's, libvirt's: the network is the same on every host and reaches this host's guests only.
bool is_bridge(const std::string& interface) {
  return ::access(base::format("/sys/class/net/{}/bridge", interface).c_str(), F_OK) == 0;
}

}  // namespace

std::vector<interface_address> local_interfaces() {
  ifaddrs* first = nullptr;
  // Some sandboxes forbid the call; the loopback interface exists nevertheless.
  if (::getifaddrs(&first) != 0)
    return {{"lo", address::loopback(AF_INET)}, {"lo", address::loopback(AF_INET6)}};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, &::freeifaddrs);
  std::vector<interface_address> interfaces;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    const auto where = address::from_sockaddr(*one->ifa_addr);
    if (!where) continue;
    const std::string interface = one->ifa_name;
    const bool last = (one->ifa_flags & IFF_POINTOPOINT) != 0 || is_bridge(interface);
    interfaces.push_back({interface, *where, last});
  }
  return interfaces;
}

std::vector<address> choose_addresses(std::span<const interface_address> interfaces,
                                      const base::networks& filter, bool one_host) {
  std::vector<interface_address> chosen;
  for (const interface_address& one : interfaces)
    if (!one.where.is_link_local() && filter.allows(one.interface, one.where.host()))
      chosen.push_back(one);
  if (!filter.has_inclusions()) {
    const auto is_loopback = [](const auto& one) { return one.where.is_loopback(); };
    const bool wanted = one_host && std::ranges::any_of(chosen, is_loopback);
    std::erase_if(chosen, [&](const auto& one) { return is_loopback(one) != wanted; });
  }
  std::ranges::stable_sort(chosen, {}, [](const interface_address& one) {
    return std::pair(one.last_choice, one.where.family() == AF_INET6);
  });
  chosen.resize(std::min(chosen.size(), most_addresses));
  std::vector<address> all;
  for (const interface_address& one : chosen) all.push_back(one.where);
  return all;
}

std::string describe_interfaces(std::span<const interface_address> interfaces) {
  std::string list;
  for (const interface_address& one : interfaces)
    list += base::format("{}{} {}", list.empty() ? "" : ", ", one.interface, one.where.host_text());
  return list.empty() ? "none" : list;
}

}  // namespace am::detail::tcp

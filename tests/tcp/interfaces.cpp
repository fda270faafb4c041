// Which addresses of a host are offered, and in which order: for simulated hosts, and this one.
#include <transports/tcp/connect/interfaces.hpp>

#include <arpa/inet.h>
#include <doctest/doctest.h>

#include <algorithm>

namespace tcp_interfaces {

using namespace am::detail;
using namespace am::detail::tcp;

namespace {

interface_address at(const char* interface, const char* text, bool last_choice = false) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET, text, &four.sin_addr) == 1)
    return {interface, *address::from_sockaddr(reinterpret_cast<const sockaddr&>(four)),
            last_choice};
  REQUIRE(::inet_pton(AF_INET6, text, &six.sin6_addr) == 1);
  return {interface, *address::from_sockaddr(reinterpret_cast<const sockaddr&>(six)), last_choice};
}

// As from getifaddrs: IPv4 first, in the order of the interfaces.
std::vector<interface_address> workstation() {
  return {at("lo", "127.0.0.1"),     at("docker0", "172.17.0.1", true),
          at("eth0", "192.168.1.5"), at("tun0", "10.8.0.2", true),
          at("lo", "::1"),           at("docker0", "fd17::1", true),
          at("eth0", "2001:db8::5"), at("eth0", "fe80::5")};
}

std::string chosen(std::span<const interface_address> here, const char* filter, bool one_host) {
  base::networks networks;
  if (*filter != '\0') REQUIRE(base::read_networks(filter, networks));
  std::string list;
  for (const address& one : choose_addresses(here, networks, one_host))
    list += (list.empty() ? "" : " ") + one.host_text();
  return list;
}

}  // namespace

TEST_CASE("a job on one host uses the loopback interface only") {
  CHECK(chosen(workstation(), "", true) == "127.0.0.1 ::1");
}

TEST_CASE("other hosts get all addresses that are not local to this host") {
  CHECK(chosen(workstation(), "", false) == "192.168.1.5 2001:db8::5 172.17.0.1 10.8.0.2 fd17::1");
}

TEST_CASE("what is named is used, and nothing else") {
  for (const bool one_host : {false, true}) {
    CHECK(chosen(workstation(), "192.168.0.0/16", one_host) == "192.168.1.5");
    CHECK(chosen(workstation(), "eth0", one_host) == "192.168.1.5 2001:db8::5");
    CHECK(chosen(workstation(), "lo,2001:db8::/32", one_host) == "127.0.0.1 ::1 2001:db8::5");
    CHECK(chosen(workstation(), "docker0,^fd17::1", one_host) == "172.17.0.1");
    CHECK(chosen(workstation(), "10.0.0.0/9", one_host) == "10.8.0.2");
    CHECK(chosen(workstation(), "10.128.0.0/9", one_host).empty());
  }
}

TEST_CASE("what is excluded is not used, and the rest as before") {
  CHECK(chosen(workstation(), "^docker0,^tun0", false) == "192.168.1.5 2001:db8::5");
  CHECK(chosen(workstation(), "^docker0", true) == "127.0.0.1 ::1");
  CHECK(chosen(workstation(), "^::/0", true) == "127.0.0.1");
  CHECK(chosen(workstation(), "^lo,^docker0,^tun0", true) == "192.168.1.5 2001:db8::5");
}

TEST_CASE("an address of the loopback interface that others can reach counts as external") {
  const std::vector<interface_address> routed = {at("lo", "127.0.0.1"), at("lo", "10.0.0.5")};
  CHECK(chosen(routed, "", false) == "10.0.0.5");
  CHECK(chosen(routed, "", true) == "127.0.0.1");
}

TEST_CASE("a host without a network, and one with hundreds of addresses") {
  CHECK(chosen({}, "", true).empty());
  const std::vector<interface_address> alone = {at("lo", "127.0.0.1"), at("eth0", "fe80::1")};
  CHECK(chosen(alone, "", false).empty());
  CHECK(chosen(alone, "eth0", false).empty());
  const std::vector<interface_address> many(300, at("eth0", "10.0.0.1"));
  CHECK(choose_addresses(many, {}, false).size() == 16);
}

TEST_CASE("am-info lists all of them") {
  CHECK(describe_interfaces({}) == "none");
  const std::vector<interface_address> two = {at("lo", "127.0.0.1"), at("eth0", "fe80::1")};
  CHECK(describe_interfaces(two) == "lo 127.0.0.1, eth0 fe80::1");
}

TEST_CASE("this host's addresses are read from the system, without a port") {
  const auto here = local_interfaces();
  const auto loopback = std::ranges::find_if(
      here, [](const interface_address& one) { return one.where.text() == "127.0.0.1:0"; });
  REQUIRE(loopback != here.end());
  CHECK(loopback->interface == "lo");
  CHECK_FALSE(loopback->last_choice);
}

}  // namespace tcp_interfaces

// Which addresses of a host are offered, and in which order: hosts that are made up, and this one.
#include <transports/tcp/interfaces.hpp>

#include <arpa/inet.h>
#include <doctest/doctest.h>

#include <algorithm>

using namespace am::detail;
using namespace am::detail::tcp;

namespace {

interface_address at(const char* interface, const char* text, bool last_choice = false) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET, text, &four.sin_addr) == 1)
    return {interface, *address::of(reinterpret_cast<const sockaddr&>(four)), last_choice};
  REQUIRE(::inet_pton(AF_INET6, text, &six.sin6_addr) == 1);
  return {interface, *address::of(reinterpret_cast<const sockaddr&>(six)), last_choice};
}

// As getifaddrs tells it: IPv4 first, in the order of the interfaces.
std::vector<interface_address> workstation() {
  return {at("lo", "127.0.0.1"),     at("docker0", "172.17.0.1", true),
          at("eth0", "192.168.1.5"), at("tun0", "10.8.0.2", true),
          at("lo", "::1"),           at("docker0", "fd17::1", true),
          at("eth0", "2001:db8::5"), at("eth0", "fe80::5")};
}

std::string chosen(std::span<const interface_address> here, const char* wish, bool one_host) {
  base::networks networks;
  if (*wish != '\0') REQUIRE(base::read_networks(wish, networks));
  std::string list;
  for (const address& one : choose_addresses(here, networks, one_host))
    list += (list.empty() ? "" : " ") + one.host_text();
  return list;
}

}  // namespace

TEST_CASE("a job on one host is reached at the loopback interface alone") {
  CHECK(chosen(workstation(), "", true) == "127.0.0.1 ::1");
}

TEST_CASE("other hosts are told all addresses but those of this host alone") {
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

TEST_CASE("what is excluded is not used, and the rest is as ever") {
  CHECK(chosen(workstation(), "^docker0,^tun0", false) == "192.168.1.5 2001:db8::5");
  CHECK(chosen(workstation(), "^docker0", true) == "127.0.0.1 ::1");
  CHECK(chosen(workstation(), "^::/0", true) == "127.0.0.1");
  CHECK(chosen(workstation(), "^lo,^docker0,^tun0", true) == "192.168.1.5 2001:db8::5");
}

TEST_CASE("an address of the loopback interface that others know counts as theirs") {
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

TEST_CASE("people are told all that there are") {
  CHECK(list_of({}) == "none");
  const std::vector<interface_address> two = {at("lo", "127.0.0.1"), at("eth0", "fe80::1")};
  CHECK(list_of(two) == "lo 127.0.0.1, eth0 fe80::1");
}

TEST_CASE("this host's are read from the system, with no port yet") {
  const auto here = interfaces_here();
  const auto loopback = std::ranges::find_if(
      here, [](const interface_address& one) { return one.where.text() == "127.0.0.1:0"; });
  REQUIRE(loopback != here.end());
  CHECK(loopback->interface == "lo");
  CHECK_FALSE(loopback->last_choice);
}

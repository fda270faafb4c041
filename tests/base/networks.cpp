// AM_TCP_NET: how a list of networks is read, and what it allows.
#include <libam/base/networks.hpp>

#include <arpa/inet.h>
#include <doctest/doctest.h>

#include <array>
#include <initializer_list>

using namespace am::detail::base;

namespace {

// Whether `list` allows this address at this interface.
bool allows(const char* list, const char* interface, const char* text) {
  networks read;
  REQUIRE_MESSAGE(read_networks(list, read), list);
  CHECK(read.text() == list);
  std::array<std::byte, 16> host{};
  if (::inet_pton(AF_INET, text, host.data()) == 1)
    return read.allows(interface, std::span(host).first(4));
  REQUIRE(::inet_pton(AF_INET6, text, host.data()) == 1);
  return read.allows(interface, host);
}

}  // namespace

TEST_CASE("without a list every address is allowed") {
  const networks none;
  CHECK(none.empty());
  CHECK_FALSE(none.has_inclusions());
  CHECK(none.allows("eth0", std::array<std::byte, 4>{}));
}

TEST_CASE("a network matches by its first bits") {
  CHECK(allows("192.168.0.0/16", "eth0", "192.168.7.1"));
  CHECK_FALSE(allows("192.168.0.0/16", "eth0", "192.169.7.1"));
  CHECK(allows("10.32.0.0/11", "eth0", "10.63.255.255"));
  CHECK_FALSE(allows("10.32.0.0/11", "eth0", "10.64.0.0"));
  CHECK(allows("10.1.2.3/8", "eth0", "10.255.0.0"));  // as `ip address` prints it
  CHECK(allows("0.0.0.0/0", "eth0", "8.8.8.8"));
  CHECK_FALSE(allows("0.0.0.0/0", "eth0", "::1"));
  CHECK(allows("fd00::/8", "eth0", "fdff::1"));
  CHECK_FALSE(allows("fd00::/8", "eth0", "fe00::1"));
  CHECK_FALSE(allows("fd00::/8", "eth0", "253.0.0.0"));
  CHECK(allows("fd00::/127", "eth0", "fd00::1"));
  CHECK_FALSE(allows("fd00::/127", "eth0", "fd00::2"));
}

TEST_CASE("an address is the smallest network") {
  CHECK(allows("10.1.2.3", "eth0", "10.1.2.3"));
  CHECK_FALSE(allows("10.1.2.3", "eth0", "10.1.2.2"));
  CHECK(allows("::1", "lo", "::1"));
  CHECK_FALSE(allows("10.1.2.3/32", "eth0", "10.1.2.2"));
}

TEST_CASE("an interface matches by its name, whatever label an address has") {
  CHECK(allows("eth0", "eth0", "10.1.2.3"));
  CHECK(allows("eth0", "eth0:backup", "10.1.2.3"));
  CHECK_FALSE(allows("eth0", "eth01", "10.1.2.3"));
  CHECK_FALSE(allows("eth01", "eth0", "10.1.2.3"));
  CHECK(allows("br-1f", "br-1f", "10.1.2.3"));
}

TEST_CASE("one matching entry suffices, and an exclusion overrides all others") {
  CHECK(allows("eth1,10.0.0.0/8", "eth0", "10.1.2.3"));
  CHECK(allows("^docker0", "eth0", "10.1.2.3"));
  CHECK_FALSE(allows("^docker0", "docker0", "172.17.0.1"));
  CHECK_FALSE(allows("^10.0.0.0/8,eth0", "eth0", "10.1.2.3"));
  CHECK(allows("^10.0.0.0/8,eth0", "eth0", "11.1.2.3"));
  CHECK_FALSE(allows("^10.0.0.0/8,eth0", "eth1", "11.1.2.3"));
  CHECK_FALSE(allows("eth0,^10.1.0.0/16", "eth0", "10.1.2.3"));
}

TEST_CASE("an invalid list changes nothing") {
  networks kept;
  REQUIRE(read_networks("eth0", kept));
  for (const char* list : {"",
                           "^",
                           "^^eth0",
                           "eth0,",
                           ",eth0",
                           "eth0,,eth1",
                           "10.0.0.0/33",
                           "10.0.0/8",
                           "10.0.0.0/",
                           "10.0.0.0/-1",
                           "10.0.0.0/+1",
                           "10.0.0.0/8/8",
                           "256.0.0.0/8",
                           "fd00::/129",
                           "fd00:::/8",
                           "fe80::1%lo",
                           "eth0/8",
                           "eth0:1",
                           "eth 0",
                           " eth0",
                           "127",
                           "1.2.3",
                           "sixteen-letters!"}) {
    CHECK_FALSE_MESSAGE(read_networks(list, kept), list);
    CHECK(kept.text() == "eth0");
  }
  CHECK(read_networks("fifteen-letters", kept));
}

#include <transports/tcp/connect/rank_address.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tcp_addresses {

using namespace am::detail::tcp;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace

TEST_CASE("an address is encoded and decoded, of either IP version") {
  for (const bool encrypts : {false, true}) {
    const rank_address one{encrypts, {address::loopback(AF_INET), address::loopback(AF_INET6)}};
    const auto read = rank_address::decode(one.encode());
    REQUIRE(read);
    CHECK(read->encrypts == encrypts);
    REQUIRE(read->addresses.size() == 2);
    CHECK(read->addresses[0].text() == "127.0.0.1:0");
    CHECK(read->addresses[1].text() == "[::1]:0");
  }
}

TEST_CASE("the encoding of an address is fixed") {
  const auto read = rank_address::decode(bytes_of({1, 4, 0x12, 0x67, 10, 1, 2, 3}));
  REQUIRE(read);
  CHECK(read->addresses.at(0).text() == "10.1.2.3:4711");
  CHECK(read->encode() == bytes_of({1, 4, 0x12, 0x67, 10, 1, 2, 3}));
}

TEST_CASE("an invalid list of addresses is refused as a whole") {
  CHECK(rank_address::decode(bytes_of({0}))->addresses.empty());
  CHECK_FALSE(rank_address::decode({}));
  CHECK_FALSE(rank_address::decode(bytes_of({2, 4, 0, 1, 127, 0, 0, 1})));
  CHECK_FALSE(rank_address::decode(bytes_of({0, 5, 0, 1, 127, 0, 0, 1})));
  CHECK_FALSE(rank_address::decode(bytes_of({0, 4})));
  CHECK_FALSE(rank_address::decode(bytes_of({0, 4, 0, 1, 127, 0, 0})));
  CHECK_FALSE(rank_address::decode(bytes_of({0, 4, 0, 1, 127, 0, 0, 1, 4})));
  CHECK_FALSE(rank_address::decode(bytes_of({0, 6, 0, 1, 127, 0, 0, 1})));
}

TEST_CASE("a socket has the address to which it is bound") {
  const address here = address::loopback(AF_INET);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::bind(socket, here.raw(), here.size()) == 0);
  const auto bound = address::local_of(socket);
  REQUIRE(bound);
  CHECK(bound->text().starts_with("127.0.0.1:"));
  CHECK(bound->text() != "127.0.0.1:0");
  CHECK_FALSE(address::remote_of(socket));
  ::close(socket);
}

}  // namespace tcp_addresses

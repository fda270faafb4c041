#include <transports/tcp/address.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace am::detail::tcp;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace

TEST_CASE("an address is put on the blackboard and read again, of either version") {
  for (const bool encrypts : {false, true}) {
    const contact one{encrypts, {address::loopback(AF_INET), address::loopback(AF_INET6)}};
    const auto read = contact::decode(one.encode());
    REQUIRE(read);
    CHECK(read->encrypts == encrypts);
    REQUIRE(read->addresses.size() == 2);
    CHECK(read->addresses[0].text() == "127.0.0.1:0");
    CHECK(read->addresses[1].text() == "[::1]:0");
  }
}

TEST_CASE("the bytes of an address are always the same") {
  const auto read = contact::decode(bytes_of({1, 4, 0x12, 0x67, 10, 1, 2, 3}));
  REQUIRE(read);
  CHECK(read->addresses.at(0).text() == "10.1.2.3:4711");
  CHECK(read->encode() == bytes_of({1, 4, 0x12, 0x67, 10, 1, 2, 3}));
}

TEST_CASE("what is no list of addresses is refused whole") {
  CHECK(contact::decode(bytes_of({0}))->addresses.empty());
  CHECK_FALSE(contact::decode({}));
  CHECK_FALSE(contact::decode(bytes_of({2, 4, 0, 1, 127, 0, 0, 1})));
  CHECK_FALSE(contact::decode(bytes_of({0, 5, 0, 1, 127, 0, 0, 1})));
  CHECK_FALSE(contact::decode(bytes_of({0, 4})));
  CHECK_FALSE(contact::decode(bytes_of({0, 4, 0, 1, 127, 0, 0})));
  CHECK_FALSE(contact::decode(bytes_of({0, 4, 0, 1, 127, 0, 0, 1, 4})));
  CHECK_FALSE(contact::decode(bytes_of({0, 6, 0, 1, 127, 0, 0, 1})));
}

TEST_CASE("a socket tells where it is bound") {
  const address here = address::loopback(AF_INET);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::bind(socket, here.raw(), here.size()) == 0);
  const auto bound = address::of(socket);
  REQUIRE(bound);
  CHECK(bound->text().starts_with("127.0.0.1:"));
  CHECK(bound->text() != "127.0.0.1:0");
  CHECK_FALSE(address::far_end_of(socket));
  ::close(socket);
}

// Both ends of the conversation before the first frame, stepped by hand over a pair of sockets.
#include <transports/tcp/handshake.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

using namespace am::detail;
using namespace am::detail::tcp;

namespace {

constexpr seam::job_secret right{std::byte{1}};
constexpr seam::job_secret wrong{std::byte{2}};

struct sockets {
  base::fd near;
  base::fd far;
  sockets() {
    int both[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, both) == 0);
    near = base::fd(both[0]);
    far = base::fd(both[1]);
  }
};

// Rank 1 connects to rank 0 of a job of two.
struct conversation {
  explicit conversation(const seam::job_secret& of_connector = right,
                        const seam::job_secret& of_listener = right, am_rank me = 1,
                        am_rank peer = 0) {
    REQUIRE(prepare_proofs());
    sockets pair;
    calls.emplace(std::move(pair.near), of_connector, me, peer);
    listens.emplace(std::move(pair.far), of_listener, 0, 2);
  }
  std::optional<connector> calls;
  std::optional<visitor> listens;
};

void send_bytes(int socket, std::span<const std::byte> bytes) {
  REQUIRE(::send(socket, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
}

std::vector<std::byte> receive_all(int socket) {
  std::array<std::byte, 256> room;
  const ssize_t got = ::recv(socket, room.data(), room.size(), MSG_DONTWAIT);
  return {room.begin(), room.begin() + (got < 0 ? 0 : got)};
}

}  // namespace

TEST_CASE("two ranks of a job prove it to each other, and hear the verdict") {
  for (const verdict what : {verdict::welcome, verdict::crossed}) {
    conversation c;
    CHECK(c.listens->go() == stage::talking);
    CHECK(c.calls->go() == stage::talking);
    CHECK(c.listens->go() == stage::talking);
    CHECK(c.calls->go() == stage::talking);
    CHECK(c.listens->go() == stage::proven);
    CHECK(c.listens->peer() == 1);
    CHECK(c.calls->go() == stage::talking);  // not before the verdict
    CHECK(c.listens->say_verdict(what));
    CHECK(c.calls->go() == stage::proven);
    CHECK(c.calls->said() == what);
  }
}

TEST_CASE("who does not know the secret is found out by the other end") {
  conversation c(wrong);
  (void)c.calls->go();
  CHECK(c.listens->go() == stage::talking);
  CHECK(c.calls->go() == stage::failed);  // to it, the listener is the stranger
  CHECK(c.calls->is_stranger());

  sockets pair;
  visitor listens(std::move(pair.far), right, 0, 2);
  const hello first{1, 0, fresh_nonce()};
  send_bytes(pair.near.get(), encode(first));
  CHECK(listens.go() == stage::talking);
  const auto answer = receive_all(pair.near.get());
  REQUIRE(answer.size() == sizeof(nonce) + sizeof(proof));
  nonce number;
  std::copy_n(answer.begin(), sizeof number, number.begin());
  send_bytes(pair.near.get(), prove(wrong, side::connector, first, number));
  CHECK(listens.go() == stage::failed);
  CHECK(listens.why().find("rank 1") != std::string::npos);
  CHECK_FALSE(listens.has_gone());
}

TEST_CASE("what the listener has shown is no proof of the other end") {
  sockets pair;
  visitor listens(std::move(pair.far), right, 0, 2);
  send_bytes(pair.near.get(), encode(hello{1, 0, fresh_nonce()}));
  CHECK(listens.go() == stage::talking);
  const auto answer = receive_all(pair.near.get());
  send_bytes(pair.near.get(), std::span(answer).subspan(sizeof(nonce)));
  CHECK(listens.go() == stage::failed);
}

TEST_CASE("a proof that was recorded is of no use later") {
  std::vector<std::byte> recorded;
  const hello first{1, 0, fresh_nonce()};
  for (const bool again : {false, true}) {
    sockets pair;
    visitor listens(std::move(pair.far), right, 0, 2);
    send_bytes(pair.near.get(), encode(first));
    CHECK(listens.go() == stage::talking);
    const auto answer = receive_all(pair.near.get());
    nonce number;
    std::copy_n(answer.begin(), sizeof number, number.begin());
    const proof shown = prove(right, side::connector, first, number);
    if (!again) recorded.assign(shown.begin(), shown.end());
    send_bytes(pair.near.get(), recorded);
    CHECK(listens.go() == (again ? stage::failed : stage::proven));
  }
}

TEST_CASE("bytes may come one by one, and no end waits for them") {
  sockets near;
  sockets far;
  REQUIRE(prepare_proofs());
  connector calls(std::move(near.near), right, 1, 0);
  visitor listens(std::move(far.near), right, 0, 2);
  stage at_listener = stage::talking;
  const auto carry = [](int from, int to) {
    std::byte one;
    if (::recv(from, &one, 1, MSG_DONTWAIT) == 1) send_bytes(to, std::span(&one, 1));
  };
  for (unsigned i = 0; i < 400 && at_listener == stage::talking; ++i) {
    CHECK(calls.go() == stage::talking);
    carry(near.far.get(), far.far.get());
    at_listener = listens.go();
    carry(far.far.get(), near.far.get());
  }
  CHECK(at_listener == stage::proven);
}

TEST_CASE("a hello that makes no sense is refused, with the reason") {
  const auto why_of = [](std::span<const std::byte> bytes) {
    sockets pair;
    visitor listens(std::move(pair.far), right, 0, 2);
    send_bytes(pair.near.get(), bytes);
    CHECK(listens.go() == stage::failed);
    return listens.why();
  };
  const std::array<std::byte, 64> zeros{};
  CHECK(why_of(zeros) == "it does not speak libam's protocol, or another version of it");
  CHECK(why_of(encode(hello{1, 7, {}})) == "it wants rank 7, and this is 0");
  CHECK(why_of(encode(hello{2, 0, {}})) == "it says it is rank 2 of 2, towards 0");
  CHECK(why_of(encode(hello{0, 0, {}})) == "it says it is rank 0 of 2, towards 0");
}

TEST_CASE("an end that goes away is told apart from one that lies") {
  conversation c;
  (void)c.calls->take_socket();
  CHECK(c.listens->go() == stage::failed);
  CHECK(c.listens->has_gone());

  conversation d;
  (void)d.calls->go();
  (void)d.listens->take_socket();
  CHECK(d.calls->go() == stage::failed);
  CHECK(d.calls->has_gone());
  CHECK_FALSE(d.calls->is_stranger());
}

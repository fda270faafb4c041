// Both ends of the conversation before the first frame, stepped by hand over a pair of sockets.
#include <transports/tcp/handshake.hpp>

#include "../support/storm.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
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

constexpr identity rank_0{right, 0, 2, false};
constexpr identity rank_1{right, 1, 2, false};
constexpr identity liar{wrong, 1, 2, false};

// Rank 1 connects to rank 0 of a job of two.
struct conversation {
  explicit conversation(const identity& of_connector = rank_1,
                        const identity& of_listener = rank_0) {
    REQUIRE(prepare_proofs());
    sockets pair;
    calls.emplace(std::move(pair.near), of_connector, 0);
    listens.emplace(std::move(pair.far), of_listener);
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
  conversation c(liar);
  (void)c.calls->go();
  CHECK(c.listens->go() == stage::talking);
  CHECK(c.calls->go() == stage::failed);  // to it, the listener is the stranger
  CHECK(c.calls->is_stranger());

  sockets pair;
  visitor listens(std::move(pair.far), rank_0);
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
  visitor listens(std::move(pair.far), rank_0);
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
    visitor listens(std::move(pair.far), rank_0);
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
  connector calls(std::move(near.near), rank_1, 0);
  visitor listens(std::move(far.near), rank_0);
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
    visitor listens(std::move(pair.far), rank_0);
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

// ---- what becomes of it -------------------------------------------------------------------------

namespace {

// Both ends of a connection for which all has been said.
struct ends {
  line near;
  line far;
  explicit ends(bool encrypts, bool far_encrypts) {
    const identity caller{right, 1, 2, encrypts};
    const identity listener{right, 0, 2, far_encrypts};
    conversation c(caller, listener);
    (void)c.calls->go();
    (void)c.listens->go();
    (void)c.calls->go();
    REQUIRE(c.listens->go() == stage::proven);
    REQUIRE(c.listens->say_verdict(verdict::welcome));
    REQUIRE(c.calls->go() == stage::proven);
    near = c.calls->take_line();
    far = c.listens->take_line();
  }
};

// What stands in the socket of `to` when `from` has said this.
std::string carried(line& from, line& to, std::string_view text) {
  const iovec part{const_cast<char*>(text.data()), text.size()};
  REQUIRE(from.send({&part, 1}) == static_cast<ssize_t>(text.size()));
  std::string seen(256, ' ');
  const ssize_t count = ::recv(to.socket(), seen.data(), seen.size(), MSG_PEEK);
  REQUIRE(count > 0);
  seen.resize(static_cast<std::size_t>(count));
  return seen;
}

std::string received(line& to) {
  std::string text(256, ' ');
  const iovec part{text.data(), text.size()};
  const ssize_t count = to.receive({&part, 1});
  if (count < 0) return line::why(errno);
  text.resize(static_cast<std::size_t>(count));
  return text;
}

}  // namespace

TEST_CASE("of a conversation of two that encrypt comes a line that does, in both directions") {
  for (const bool encrypts : {false, true}) {
    ends both(encrypts, encrypts);
    CHECK((carried(both.near, both.far, "to the listener") == "to the listener") != encrypts);
    CHECK(received(both.far) == "to the listener");
    CHECK((carried(both.far, both.near, "to the caller") == "to the caller") != encrypts);
    CHECK(received(both.near) == "to the caller");
  }
}

TEST_CASE("no connection and no direction has the keys of another") {
  ends one(true, true);
  ends other(true, true);
  const std::string text = "the same text, often";
  const std::string all[] = {carried(one.near, one.far, text), carried(one.far, one.near, text),
                             carried(other.near, other.far, text),
                             carried(other.far, other.near, text)};
  for (const auto& seen : all) CHECK(std::ranges::count(all, seen) == 1);
}

// The blackboard keeps such two apart. Should they meet all the same neither takes the other's
// word.
TEST_CASE("who encrypts hears nothing that is not encrypted") {
  ends both(true, false);
  CHECK(carried(both.far, both.near, "a frame of some length, in plain bytes") != "");
  CHECK(received(both.near) == "a record that nobody of this job wrote");
}

namespace {

// A listener who lets nobody in, and a socket that is on its way to him.
struct endless_call {
  base::fd listener;
  std::vector<base::fd> before;
  base::fd caller;
  endless_call() : listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&here);
    socklen_t size = sizeof here;
    REQUIRE(::bind(listener.get(), name, size) == 0);
    REQUIRE(::listen(listener.get(), 0) == 0);
    REQUIRE(::getsockname(listener.get(), name, &size) == 0);
    for (bool arrived = true; arrived; before.push_back(std::move(caller))) {
      REQUIRE(before.size() < 10);
      caller = base::fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      REQUIRE((::connect(caller.get(), name, size) != 0 && errno == EINPROGRESS));
      pollfd one{caller.get(), POLLOUT, 0};
      if (arrived = ::poll(&one, 1, 0) != 0; !arrived) break;
    }
  }
};

}  // namespace

TEST_CASE("a signal does not make a call that is on its way an arrived one") {
  endless_call made;
  connector calls(std::move(made.caller), rank_1, 0);
  const am_test::storm outside;
  while (outside.signals() < 2000) REQUIRE(calls.go() == stage::talking);
}

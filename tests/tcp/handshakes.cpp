// Both ends of the handshake before the first frame, stepped by the test over a pair of sockets.
#include <transports/tcp/connect/handshake.hpp>

#include "../support/signal_storm.hpp"

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

namespace tcp_handshakes {

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
constexpr identity impostor{wrong, 1, 2, false};

// Rank 1 connects to rank 0 of a job of two.
struct handshake_pair {
  explicit handshake_pair(const identity& of_connector = rank_1,
                          const identity& of_listener = rank_0) {
    REQUIRE(init_sodium());
    sockets pair;
    connecting_end.emplace(std::move(pair.near), of_connector, 0);
    listening_end.emplace(std::move(pair.far), of_listener);
  }
  std::optional<connector_handshake> connecting_end;
  std::optional<listener_handshake> listening_end;
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

TEST_CASE("two ranks of a job prove it to each other, and receive the verdict") {
  for (const verdict what : {verdict::welcome, verdict::crossed}) {
    handshake_pair c;
    CHECK(c.listening_end->advance() == handshake_state::in_progress);
    CHECK(c.connecting_end->advance() == handshake_state::in_progress);
    CHECK(c.listening_end->advance() == handshake_state::in_progress);
    CHECK(c.connecting_end->advance() == handshake_state::in_progress);
    CHECK(c.listening_end->advance() == handshake_state::proven);
    CHECK(c.listening_end->peer() == 1);
    CHECK(c.connecting_end->advance() == handshake_state::in_progress);  // not before the verdict
    CHECK(c.listening_end->send_verdict(what));
    CHECK(c.connecting_end->advance() == handshake_state::proven);
    CHECK(c.connecting_end->received_verdict() == what);
  }
}

TEST_CASE("a peer without the secret is detected by the other end") {
  handshake_pair c(impostor);
  (void)c.connecting_end->advance();
  CHECK(c.listening_end->advance() == handshake_state::in_progress);
  // From its point of view the listener has the wrong secret.
  CHECK(c.connecting_end->advance() == handshake_state::failed);
  CHECK(c.connecting_end->is_stranger());

  sockets pair;
  listener_handshake listening_end(std::move(pair.far), rank_0);
  const hello first{1, 0, fresh_nonce()};
  send_bytes(pair.near.get(), encode(first));
  CHECK(listening_end.advance() == handshake_state::in_progress);
  const auto answer = receive_all(pair.near.get());
  REQUIRE(answer.size() == sizeof(nonce) + sizeof(proof));
  nonce number;
  std::copy_n(answer.begin(), sizeof number, number.begin());
  send_bytes(pair.near.get(), prove(wrong, side::connector, first, number));
  CHECK(listening_end.advance() == handshake_state::failed);
  CHECK(listening_end.why().find("rank 1") != std::string::npos);
  CHECK_FALSE(listening_end.is_closed_by_peer());
}

TEST_CASE("the listener's own proof is not accepted as that of the other end") {
  sockets pair;
  listener_handshake listening_end(std::move(pair.far), rank_0);
  send_bytes(pair.near.get(), encode(hello{1, 0, fresh_nonce()}));
  CHECK(listening_end.advance() == handshake_state::in_progress);
  const auto answer = receive_all(pair.near.get());
  send_bytes(pair.near.get(), std::span(answer).subspan(sizeof(nonce)));
  CHECK(listening_end.advance() == handshake_state::failed);
}

TEST_CASE("a recorded proof is not accepted later") {
  std::vector<std::byte> recorded;
  const hello first{1, 0, fresh_nonce()};
  for (const bool again : {false, true}) {
    sockets pair;
    listener_handshake listening_end(std::move(pair.far), rank_0);
    send_bytes(pair.near.get(), encode(first));
    CHECK(listening_end.advance() == handshake_state::in_progress);
    const auto answer = receive_all(pair.near.get());
    nonce number;
    std::copy_n(answer.begin(), sizeof number, number.begin());
    const proof shown = prove(right, side::connector, first, number);
    if (!again) recorded.assign(shown.begin(), shown.end());
    send_bytes(pair.near.get(), recorded);
    CHECK(listening_end.advance() == (again ? handshake_state::failed : handshake_state::proven));
  }
}

TEST_CASE("bytes may arrive one by one, and neither end blocks") {
  sockets near;
  sockets far;
  REQUIRE(init_sodium());
  connector_handshake connecting_end(std::move(near.near), rank_1, 0);
  listener_handshake listening_end(std::move(far.near), rank_0);
  handshake_state at_listener = handshake_state::in_progress;
  const auto carry = [](int from, int to) {
    std::byte one;
    if (::recv(from, &one, 1, MSG_DONTWAIT) == 1) send_bytes(to, std::span(&one, 1));
  };
  for (unsigned i = 0; i < 400 && at_listener == handshake_state::in_progress; ++i) {
    CHECK(connecting_end.advance() == handshake_state::in_progress);
    carry(near.far.get(), far.far.get());
    at_listener = listening_end.advance();
    carry(far.far.get(), near.far.get());
  }
  CHECK(at_listener == handshake_state::proven);
}

TEST_CASE("an invalid hello is refused, with the reason") {
  const auto why_of = [](std::span<const std::byte> bytes) {
    sockets pair;
    listener_handshake listening_end(std::move(pair.far), rank_0);
    send_bytes(pair.near.get(), bytes);
    CHECK(listening_end.advance() == handshake_state::failed);
    return listening_end.why();
  };
  const std::array<std::byte, 64> zeros{};
  CHECK(why_of(zeros) == "it does not speak libam's protocol, or speaks another version of it");
  CHECK(why_of(encode(hello{1, 7, {}})) == "it asks for rank 7, and this is 0");
  CHECK(why_of(encode(hello{2, 0, {}})) == "it says it is rank 2 of 2, towards 0");
  CHECK(why_of(encode(hello{0, 0, {}})) == "it says it is rank 0 of 2, towards 0");
}

TEST_CASE("an end that disconnects is distinguished from one with a wrong proof") {
  handshake_pair c;
  (void)c.connecting_end->take_socket();
  CHECK(c.listening_end->advance() == handshake_state::failed);
  CHECK(c.listening_end->is_closed_by_peer());

  handshake_pair d;
  (void)d.connecting_end->advance();
  (void)d.listening_end->take_socket();
  CHECK(d.connecting_end->advance() == handshake_state::failed);
  CHECK(d.connecting_end->is_closed_by_peer());
  CHECK_FALSE(d.connecting_end->is_stranger());
}

// ---- the established link -----------------------------------------------------------------------

namespace {

// Both ends of a connection after a complete handshake.
struct established_links {
  tcp_link near;
  tcp_link far;
  explicit established_links(bool encrypts, bool far_encrypts) {
    const identity caller{right, 1, 2, encrypts};
    const identity listener{right, 0, 2, far_encrypts};
    handshake_pair c(caller, listener);
    (void)c.connecting_end->advance();
    (void)c.listening_end->advance();
    (void)c.connecting_end->advance();
    REQUIRE(c.listening_end->advance() == handshake_state::proven);
    REQUIRE(c.listening_end->send_verdict(verdict::welcome));
    REQUIRE(c.connecting_end->advance() == handshake_state::proven);
    near = c.connecting_end->take_link();
    far = c.listening_end->take_link();
  }
};

// The bytes in the socket of `to` after `from` has sent `text`.
std::string bytes_in_transit(tcp_link& from, tcp_link& to, std::string_view text) {
  const iovec part{const_cast<char*>(text.data()), text.size()};
  REQUIRE(from.send({&part, 1}) == static_cast<ssize_t>(text.size()));
  std::string seen(256, ' ');
  const ssize_t count = ::recv(to.socket(), seen.data(), seen.size(), MSG_PEEK);
  REQUIRE(count > 0);
  seen.resize(static_cast<std::size_t>(count));
  return seen;
}

std::string received(tcp_link& to) {
  std::string text(256, ' ');
  const iovec part{text.data(), text.size()};
  const ssize_t count = to.receive({&part, 1});
  if (count < 0) return tcp_link::error_text(errno);
  text.resize(static_cast<std::size_t>(count));
  return text;
}

}  // namespace

TEST_CASE("the handshake of two ends that encrypt gives an encrypted link, in both directions") {
  for (const bool encrypts : {false, true}) {
    established_links both(encrypts, encrypts);
    CHECK((bytes_in_transit(both.near, both.far, "to the listener") == "to the listener") !=
          encrypts);
    CHECK(received(both.far) == "to the listener");
    CHECK((bytes_in_transit(both.far, both.near, "to the caller") == "to the caller") != encrypts);
    CHECK(received(both.near) == "to the caller");
  }
}

TEST_CASE("every connection and direction has its own keys") {
  established_links one(true, true);
  established_links other(true, true);
  const std::string text = "the same text, often";
  const std::string all[] = {
      bytes_in_transit(one.near, one.far, text), bytes_in_transit(one.far, one.near, text),
      bytes_in_transit(other.near, other.far, text), bytes_in_transit(other.far, other.near, text)};
  for (const auto& seen : all) CHECK(std::ranges::count(all, seen) == 1);
}

// The published addresses keep such two apart. If they connect nevertheless neither accepts the
// other's data.
TEST_CASE("an end that encrypts accepts nothing unencrypted") {
  established_links both(true, false);
  CHECK(bytes_in_transit(both.far, both.near, "a frame of some length, in plain bytes") != "");
  CHECK(received(both.near) == "a record that no rank of this job has written");
}

namespace {

// A listener that accepts no connection, and a socket that is connecting to it.
struct never_accepted {
  base::fd listener;
  std::vector<base::fd> before;
  base::fd caller;
  never_accepted() : listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
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

TEST_CASE("a signal does not make a pending connection an established one") {
  never_accepted made;
  connector_handshake connecting_end(std::move(made.caller), rank_1, 0);
  const am_test::signal_storm outside;
  while (outside.signals() < 2000)
    REQUIRE(connecting_end.advance() == handshake_state::in_progress);
}

}  // namespace tcp_handshakes

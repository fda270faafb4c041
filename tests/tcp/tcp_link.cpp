// Links, plain and encrypted: the same calls with the same effects.
#include "link_pair.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <vector>

namespace tcp_tcp_link {

using namespace am::detail;
using namespace am::detail::tcp;
using namespace am_test;

namespace {

// Receives up to `most` bytes, until nothing more arrives.
bytes receive_some(tcp_link& to, std::size_t most) {
  bytes all(most);
  std::size_t count = 0;
  while (count < most && (to.has_input() || is_readable(to.socket()))) {
    const iovec part{all.data() + count, most - count};
    const ssize_t got = to.receive({&part, 1});
    if (got == 0 || (got < 0 && errno != EAGAIN)) break;
    if (got > 0) count += static_cast<std::size_t>(got);
  }
  all.resize(count);
  return all;
}

// An inaccessible page.
struct unmapped_page {
  static constexpr std::size_t size = 4096;
  void* page = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unmapped_page() { REQUIRE(page != MAP_FAILED); }
  ~unmapped_page() { ::munmap(page, size); }
};

std::size_t counted(ssize_t count) {
  if (count < 0) CHECK(errno == EAGAIN);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

// Random bytes in one direction, in parts of random sizes at either end.
class traffic {
 public:
  traffic(tcp_link& from, tcp_link& to, std::size_t count, unsigned seed)
      : from_(from),
        to_(to),
        sent_bytes_(random_bytes(count, seed)),
        received_bytes_(count),
        rng_(seed) {}

  [[nodiscard]] bool is_complete() const {
    return received_ == sent_bytes_.size() && !from_.has_unsent();
  }

  void send() {
    const auto parts = cut(sent_bytes_, sent_);
    sent_ += counted(from_.send(parts, rng_()));
  }

  void receive() {
    if (rng_() % 8 == 0) return skip();
    const auto parts = cut(received_bytes_, received_);
    if (!parts.empty()) received_ += counted(to_.receive(parts, rng_()));
  }

  void check() {
    CHECK(sent_bytes_ == received_bytes_);
    CHECK_FALSE(to_.has_input());
    CHECK_FALSE(is_readable(to_.socket(), 0));
  }

 private:
  // Receives without comparing.
  void skip() {
    const std::size_t most = std::min<std::size_t>(rng_() % 5000, sent_bytes_.size() - received_);
    const std::size_t count = counted(to_.skip(most));
    std::copy_n(sent_bytes_.begin() + static_cast<std::ptrdiff_t>(received_), count,
                received_bytes_.begin() + static_cast<std::ptrdiff_t>(received_));
    received_ += count;
  }

  std::vector<iovec> cut(bytes& all, std::size_t at) {
    static constexpr std::size_t most[] = {1, 16, 500, 20'000, 200'000};
    std::vector<iovec> parts;
    for (unsigned i = rng_() % 4; i < 4 && at < all.size(); ++i) {
      const std::size_t size = std::min<std::size_t>(rng_() % most[rng_() % 5], all.size() - at);
      parts.push_back({all.data() + at, size});
      at += size;
    }
    return parts;
  }

  tcp_link& from_;
  tcp_link& to_;
  bytes sent_bytes_;
  bytes received_bytes_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  std::mt19937 rng_;
};

}  // namespace

TEST_CASE("bytes are received as they were sent, in both directions, in parts of any size") {
  for (const bool encrypted : {false, true}) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      link_pair pair(encrypted);
      traffic there(pair.near, pair.far, 3'000'000, seed);
      traffic back(pair.far, pair.near, 1'000'000, seed + 100);
      while (!there.is_complete() || !back.is_complete()) {
        there.send();
        back.send();
        there.receive();
        back.receive();
      }
      there.check();
      back.check();
    }
  }
}

TEST_CASE("bytes may arrive one by one") {
  sockets first;
  sockets second;
  tcp_link near = make_near_link(std::move(first.near), true);
  tcp_link far = make_far_link(std::move(second.far), true);
  const bytes sent_bytes = random_bytes(500, 1);
  REQUIRE(send_all(near, std::span(sent_bytes).first(200)) == 200);
  REQUIRE(send_all(near, std::span(sent_bytes).subspan(200)) == 300);
  bytes received(500);
  std::size_t count = 0;
  for (const std::byte one : take_raw(first.far.get(), 500 + 2 * 20)) {
    put_raw(second.near.get(), {&one, 1});
    REQUIRE(is_readable(far.socket()));
    const iovec part{received.data() + count, received.size() - count};
    const ssize_t got = far.receive({&part, 1});
    if (got < 0)
      CHECK(errno == EAGAIN);
    else
      count += static_cast<std::size_t>(got);
    CHECK((count == 0 || count == 200 || count == 500));
    CHECK_FALSE(far.has_input());
  }
  CHECK(received == sent_bytes);
}

TEST_CASE("a socket that takes no more leaves the rest of a record in the link") {
  for (const bool encrypted : {false, true}) {
    link_pair pair(encrypted);
    const bytes sent_bytes = random_bytes(100'000, 1);
    std::size_t sent = 0;
    ssize_t count = 0;
    while ((count = send_all(pair.near, sent_bytes)) > 0) sent += static_cast<std::size_t>(count);
    CHECK(errno == EAGAIN);
    CHECK(pair.near.has_unsent() == encrypted);
    CHECK(pair.near.send({}) == (encrypted ? -1 : 0));
    while (pair.near.has_unsent()) {
      sent -= receive_some(pair.far, std::min<std::size_t>(sent, 10'000)).size();
      (void)pair.near.send({});
    }
    CHECK(pair.near.send({}) == 0);
    CHECK(receive_some(pair.far, sent).size() == sent);
    CHECK_FALSE(pair.far.has_input());
  }
}

TEST_CASE("a socket that takes nothing any more is an error, and nothing is held for it") {
  for (const bool encrypted : {false, true}) {
    link_pair pair(encrypted);
    const bytes sent_bytes = random_bytes(100'000, 1);
    while (send_all(pair.near, sent_bytes) > 0) continue;
    pair.far = tcp_link();
    while (send_all(pair.near, sent_bytes) >= 0 || errno == EAGAIN) continue;
    CHECK((errno == EPIPE || errno == ECONNRESET));
    CHECK_FALSE(pair.near.has_unsent());
    CHECK(send_all(pair.near, sent_bytes) == -1);
    CHECK(errno == EPIPE);
    CHECK_FALSE(pair.near.has_unsent());
  }
}

TEST_CASE("decrypted bytes that were not received are input that no socket reports") {
  link_pair pair;
  const bytes sent_bytes = random_bytes(40'000, 1);
  REQUIRE(send_all(pair.near, sent_bytes) == 40'000);
  CHECK_FALSE(pair.far.has_input());
  bytes received = receive_some(pair.far, 1);
  CHECK(pair.far.has_input());
  for (const std::size_t most : {std::size_t{5}, std::size_t{20'000}, std::size_t{19'994}}) {
    const bytes more = receive_some(pair.far, most);
    CHECK(more.size() == most);
    received.insert(received.end(), more.begin(), more.end());
  }
  CHECK(received == sent_bytes);
  CHECK_FALSE(pair.far.has_input());
}

// On a plain link the kernel reports it, at a byte of its own choice.
TEST_CASE("unmapped memory is an error where it begins, and the link continues") {
  const unmapped_page hole;
  link_pair pair;
  bytes own = random_bytes(1000, 1);
  const iovec to_send[] = {{own.data(), own.size()}, {hole.page, hole.size}};
  CHECK(pair.near.send(to_send, 0b10) == 1000);
  CHECK(pair.near.send(std::span(to_send).subspan(1), 0b1) == -1);
  CHECK(errno == EFAULT);
  REQUIRE(send_all(pair.near, own) == 1000);
  REQUIRE(is_readable(pair.far.socket()));

  bytes received(500);
  const iovec to_receive[] = {{received.data(), received.size()}, {hole.page, hole.size}};
  CHECK(pair.far.receive(to_receive, 0b10) == 500);
  CHECK(std::equal(received.begin(), received.end(), own.begin()));
  CHECK(pair.far.receive(std::span(to_receive).subspan(1), 0b1) == -1);
  CHECK(errno == EFAULT);
  CHECK(pair.far.skip(500) == 500);
  CHECK(receive_some(pair.far, 1000) == own);
}

TEST_CASE("the end of the connection is an end, also inside a record") {
  for (const std::size_t cut : {0, 1, 119}) {
    sockets first;
    sockets second;
    tcp_link near = make_near_link(std::move(first.near), true);
    tcp_link far = make_far_link(std::move(second.far), true);
    REQUIRE(send_all(near, bytes(100)) == 100);
    put_raw(second.near.get(), take_raw(first.far.get(), cut));
    second.near = base::fd();
    REQUIRE(is_readable(far.socket()));
    bytes room(100);
    const iovec part{room.data(), room.size()};
    ssize_t got = far.receive({&part, 1});
    if (got < 0) got = far.receive({&part, 1});
    CHECK(got == 0);
  }
}

}  // namespace tcp_tcp_link

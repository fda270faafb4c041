// Lines, plain and encrypted: the same calls with the same effects.
#include "ends.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <vector>

using namespace am::detail;
using namespace am::detail::tcp;
using namespace am_test;

namespace {

// What comes, up to `most` bytes, until nothing more does.
bytes receive_some(line& to, std::size_t most) {
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

// A page that is mapped for nobody.
struct nowhere {
  static constexpr std::size_t size = 4096;
  void* page = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  nowhere() { REQUIRE(page != MAP_FAILED); }
  ~nowhere() { ::munmap(page, size); }
};

std::size_t counted(ssize_t count) {
  if (count < 0) CHECK(errno == EAGAIN);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

// Random bytes in one direction, in parts of random sizes at either end.
class traffic {
 public:
  traffic(line& from, line& to, std::size_t count, unsigned seed)
      : from_(from), to_(to), said_(random_bytes(count, seed)), heard_(count), draw_(seed) {}

  [[nodiscard]] bool over() const { return received_ == said_.size() && !from_.holds(); }

  void send() {
    const auto parts = cut(said_, sent_);
    sent_ += counted(from_.send(parts, draw_()));
  }

  void receive() {
    if (draw_() % 8 == 0) return skip();
    const auto parts = cut(heard_, received_);
    if (!parts.empty()) received_ += counted(to_.receive(parts, draw_()));
  }

  void check() {
    CHECK(said_ == heard_);
    CHECK_FALSE(to_.has_input());
    CHECK_FALSE(is_readable(to_.socket(), 0));
  }

 private:
  // Nobody wants them, so nobody compares them.
  void skip() {
    const std::size_t most = std::min<std::size_t>(draw_() % 5000, said_.size() - received_);
    const std::size_t count = counted(to_.skip(most));
    std::copy_n(said_.begin() + static_cast<std::ptrdiff_t>(received_), count,
                heard_.begin() + static_cast<std::ptrdiff_t>(received_));
    received_ += count;
  }

  std::vector<iovec> cut(bytes& all, std::size_t at) {
    static constexpr std::size_t most[] = {1, 16, 500, 20'000, 200'000};
    std::vector<iovec> parts;
    for (unsigned i = draw_() % 4; i < 4 && at < all.size(); ++i) {
      const std::size_t size = std::min<std::size_t>(draw_() % most[draw_() % 5], all.size() - at);
      parts.push_back({all.data() + at, size});
      at += size;
    }
    return parts;
  }

  line& from_;
  line& to_;
  bytes said_;
  bytes heard_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  std::mt19937 draw_;
};

}  // namespace

TEST_CASE("what goes in comes out, in both directions, in parts of any size") {
  for (const bool encrypted : {false, true}) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      lines pair(encrypted);
      traffic there(pair.near, pair.far, 3'000'000, seed);
      traffic back(pair.far, pair.near, 1'000'000, seed + 100);
      while (!there.over() || !back.over()) {
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

TEST_CASE("bytes may come one by one") {
  sockets first;
  sockets second;
  line near = near_end(std::move(first.near), true);
  line far = far_end(std::move(second.far), true);
  const bytes said = random_bytes(500, 1);
  REQUIRE(send_all(near, std::span(said).first(200)) == 200);
  REQUIRE(send_all(near, std::span(said).subspan(200)) == 300);
  bytes heard(500);
  std::size_t count = 0;
  for (const std::byte one : take_raw(first.far.get(), 500 + 2 * 20)) {
    put_raw(second.near.get(), {&one, 1});
    REQUIRE(is_readable(far.socket()));
    const iovec part{heard.data() + count, heard.size() - count};
    const ssize_t got = far.receive({&part, 1});
    if (got < 0)
      CHECK(errno == EAGAIN);
    else
      count += static_cast<std::size_t>(got);
    CHECK((count == 0 || count == 200 || count == 500));
    CHECK_FALSE(far.has_input());
  }
  CHECK(heard == said);
}

TEST_CASE("a socket that takes no more leaves the rest of a record in the line") {
  for (const bool encrypted : {false, true}) {
    lines pair(encrypted);
    const bytes said = random_bytes(100'000, 1);
    std::size_t sent = 0;
    ssize_t count = 0;
    while ((count = send_all(pair.near, said)) > 0) sent += static_cast<std::size_t>(count);
    CHECK(errno == EAGAIN);
    CHECK(pair.near.holds() == encrypted);
    CHECK(pair.near.send({}) == (encrypted ? -1 : 0));
    while (pair.near.holds()) {
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
    lines pair(encrypted);
    const bytes said = random_bytes(100'000, 1);
    while (send_all(pair.near, said) > 0) continue;
    pair.far = line();
    while (send_all(pair.near, said) >= 0 || errno == EAGAIN) continue;
    CHECK((errno == EPIPE || errno == ECONNRESET));
    CHECK_FALSE(pair.near.holds());
    CHECK(send_all(pair.near, said) == -1);
    CHECK(errno == EPIPE);
    CHECK_FALSE(pair.near.holds());
  }
}

TEST_CASE("what is opened and not received is input that no socket tells of") {
  lines pair;
  const bytes said = random_bytes(40'000, 1);
  REQUIRE(send_all(pair.near, said) == 40'000);
  CHECK_FALSE(pair.far.has_input());
  bytes heard = receive_some(pair.far, 1);
  CHECK(pair.far.has_input());
  for (const std::size_t most : {std::size_t{5}, std::size_t{20'000}, std::size_t{19'994}}) {
    const bytes more = receive_some(pair.far, most);
    CHECK(more.size() == most);
    heard.insert(heard.end(), more.begin(), more.end());
  }
  CHECK(heard == said);
  CHECK_FALSE(pair.far.has_input());
}

// Of a plain line the system says so, and at which byte is its affair.
TEST_CASE("memory that is not mapped is an error where it begins, and the line goes on") {
  const nowhere hole;
  lines pair;
  bytes own = random_bytes(1000, 1);
  const iovec to_send[] = {{own.data(), own.size()}, {hole.page, hole.size}};
  CHECK(pair.near.send(to_send, 0b10) == 1000);
  CHECK(pair.near.send(std::span(to_send).subspan(1), 0b1) == -1);
  CHECK(errno == EFAULT);
  REQUIRE(send_all(pair.near, own) == 1000);
  REQUIRE(is_readable(pair.far.socket()));

  bytes heard(500);
  const iovec to_receive[] = {{heard.data(), heard.size()}, {hole.page, hole.size}};
  CHECK(pair.far.receive(to_receive, 0b10) == 500);
  CHECK(std::equal(heard.begin(), heard.end(), own.begin()));
  CHECK(pair.far.receive(std::span(to_receive).subspan(1), 0b1) == -1);
  CHECK(errno == EFAULT);
  CHECK(pair.far.skip(500) == 500);
  CHECK(receive_some(pair.far, 1000) == own);
}

TEST_CASE("the end of the connection is an end, also inside a record") {
  for (const std::size_t cut : {0, 1, 119}) {
    sockets first;
    sockets second;
    line near = near_end(std::move(first.near), true);
    line far = far_end(std::move(second.far), true);
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

// The first rank of a host is a thread of its own; the others, and strangers, are the test itself.
#include <libam/base/quiet_thread.hpp>
#include <libam/boot/pmix/house.hpp>

#include "../support/storm.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace am::detail;

namespace {

struct result {
  pmix::share got;
  std::string why;
  bool moved_in = false;
};

struct family {
  std::vector<am_rank> ranks;
  seam::job_secret secret{};

  [[nodiscard]] pmix::household as(am_rank self) const { return {ranks, self, secret, true}; }
};

// The first of `all`, until it has handed everything out.
class first_rank {
 public:
  explicit first_rank(const family& all) {
    pmix::door opened;
    REQUIRE(pmix::door::open(opened) == AM_OK);
    name_ = opened.name();
    // It closes the door behind those who have come.
    serves_ = std::thread([this, &all, at = std::move(opened)] {
      done.moved_in =
          pmix::hand_out(at, all.as(all.ranks.front()), base::usual_folder, done.got, done.why);
    });
  }
  ~first_rank() { finish(); }
  first_rank(const first_rank&) = delete;
  first_rank& operator=(const first_rank&) = delete;
  void finish() {
    if (serves_.joinable()) serves_.join();
  }
  [[nodiscard]] base::socket_name name() const { return name_; }

  result done;

 private:
  base::socket_name name_ = base::no_socket;
  std::thread serves_;
};

result ask(const first_rank& first, const family& all, am_rank self) {
  result asked;
  asked.moved_in = pmix::ask_for(first.name(), all.as(self), asked.got, asked.why);
  return asked;
}

base::fd knock(const first_rank& first) {
  base::fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const base::socket_address there(first.name());
  REQUIRE(::connect(socket.get(), there.get(), there.size()) == 0);
  return socket;
}

bool is_closed(const base::fd& socket) {
  char byte = 0;
  return ::recv(socket.get(), &byte, 1, 0) <= 0;
}

}  // namespace

TEST_CASE("all ranks of a host share memory and know each other's processes") {
  const family all{{2, 5, 9}, {}};
  first_rank first(all);
  result nine;
  std::thread other([&] { nine = ask(first, all, 9); });
  const result five = ask(first, all, 5);
  other.join();
  first.finish();
  for (const result* each : std::initializer_list<const result*>{&first.done, &five, &nine}) {
    CAPTURE(each->why);
    REQUIRE(each->moved_in);
    REQUIRE(each->got.pidfds.size() == 3);
    for (const base::fd& pidfd : each->got.pidfds) CHECK(pidfd.valid());
    CHECK(each->got.bell.valid());
  }
  REQUIRE(::ftruncate(five.got.memory.get(), 4096) == 0);
  REQUIRE(::pwrite(five.got.memory.get(), "x", 1, 0) == 1);
  char byte = 0;
  CHECK(::pread(nine.got.memory.get(), &byte, 1, 0) == 1);
  CHECK(byte == 'x');
  five.got.of(1).fences = 7;
  CHECK(first.done.got.of(1).fences == 7);
}

TEST_CASE("strangers who know no secret, say nothing or nonsense hold nobody up and get nothing") {
  family all{{0, 1}, {}};
  all.secret[3] = std::byte{7};
  first_rank first(all);
  const base::fd silent = knock(first);
  const base::fd gone = knock(first);
  ::shutdown(gone.get(), SHUT_RDWR);
  const base::fd talks_nonsense = knock(first);
  REQUIRE(::send(talks_nonsense.get(), "nonsense", 8, 0) == 8);
  family others = all;
  others.secret[3] = std::byte{8};
  const result stranger = ask(first, others, 1);
  CHECK_FALSE(stranger.moved_in);
  CHECK(stranger.why.find("rank 0 shares no memory with this one: it gives none") == 0);
  family larger = all;
  larger.ranks.push_back(2);
  CHECK_FALSE(ask(first, larger, 2).moved_in);
  CHECK_FALSE(ask(first, all, 0).moved_in);
  CHECK(ask(first, all, 1).moved_in);
  first.finish();
  CHECK(first.done.moved_in);
  for (const base::fd* one : {&silent, &talks_nonsense}) CHECK(is_closed(*one));
}

TEST_CASE("a rank comes once") {
  const family all{{0, 1, 2}, {}};
  first_rank first(all);
  result one;
  result same;
  std::thread early([&] { one = ask(first, all, 1); });
  std::thread late([&] { same = ask(first, all, 1); });
  const result two = ask(first, all, 2);
  early.join();
  late.join();
  CHECK(one.moved_in + same.moved_in == 1);
  CHECK(two.moved_in);
}

TEST_CASE("nobody at the door is an error that names the rank") {
  const family all{{4, 6}, {}};
  result alone;
  alone.moved_in = pmix::ask_for(0x7a7a7a7a7a, all.as(6), alone.got, alone.why);
  CHECK_FALSE(alone.moved_in);
  CHECK(alone.why ==
        "rank 4 shares no memory with this one: its socket cannot be reached from here: "
        "Connection refused");
}

TEST_CASE("a signal does not send away who waits at a full door") {
  const family all{{0, 1}, {}};
  const base::fd door = base::make_abstract_socket(SOCK_SEQPACKET);
  REQUIRE(::listen(door.get(), 0) == 0);
  const base::socket_name name = base::name_of_socket(door.get());
  const base::socket_address there(name);
  const base::fd first(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(first.get(), there.get(), there.size()) == 0);
  const base::fd full(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(full.get(), there.get(), there.size()) != 0);

  const am_test::storm outside;
  std::thread opens = base::quiet_thread([&] {
    while (outside.signals() < 100) std::this_thread::yield();
    for (int guests = 0; guests < 2; ++guests)
      (void)base::fd(::accept(door.get(), nullptr, nullptr));
  });
  result asked;
  asked.moved_in = pmix::ask_for(name, all.as(1), asked.got, asked.why);
  ::shutdown(door.get(), SHUT_RDWR);
  opens.join();
  CHECK(asked.why.find("cannot be reached") == std::string::npos);
}

// Shared resources of the ranks of one host. The first rank is a thread, the test acts as the
// others and as strangers.
#include <libam/base/signal_masked_thread.hpp>
#include <libam/boot/pmix/node_group.hpp>

#include "../support/signal_storm.hpp"

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
  pmix::node_resources got;
  std::string why;
  bool joined = false;
};

struct test_node {
  std::vector<am_rank> ranks;
  seam::job_secret secret{};

  [[nodiscard]] pmix::node_group as(am_rank self) const { return {ranks, self, secret, true}; }
};

// The first of `all`, until it has served every rank.
class first_rank {
 public:
  explicit first_rank(const test_node& all) {
    pmix::node_listener opened;
    REQUIRE(pmix::node_listener::listen(opened) == AM_OK);
    name_ = opened.name();
    // It closes its listener when all have joined.
    thread_ = std::thread([this, &all, at = std::move(opened)] {
      done.joined = pmix::serve_node_group(at, all.as(all.ranks.front()), base::default_folder,
                                           done.got, done.why);
    });
  }
  ~first_rank() { finish(); }
  first_rank(const first_rank&) = delete;
  first_rank& operator=(const first_rank&) = delete;
  void finish() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] base::socket_name name() const { return name_; }

  result done;

 private:
  base::socket_name name_ = base::no_socket;
  std::thread thread_;
};

result join(const first_rank& first, const test_node& all, am_rank self) {
  result joining;
  joining.joined = pmix::join_node_group(first.name(), all.as(self), joining.got, joining.why);
  return joining;
}

base::fd connect_to(const first_rank& first) {
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

TEST_CASE("all ranks of a host share memory and each other's process descriptors") {
  const test_node all{{2, 5, 9}, {}};
  first_rank first(all);
  result nine;
  std::thread other([&] { nine = join(first, all, 9); });
  const result five = join(first, all, 5);
  other.join();
  first.finish();
  for (const result* each : std::initializer_list<const result*>{&first.done, &five, &nine}) {
    CAPTURE(each->why);
    REQUIRE(each->joined);
    REQUIRE(each->got.pidfds.size() == 3);
    for (const base::fd& pidfd : each->got.pidfds) CHECK(pidfd.valid());
    CHECK(each->got.wakeup.valid());
    CHECK(each->got.host_id == first.done.got.host_id);
  }
  REQUIRE(::ftruncate(five.got.memory.get(), 4096) == 0);
  REQUIRE(::pwrite(five.got.memory.get(), "x", 1, 0) == 1);
  char byte = 0;
  CHECK(::pread(nine.got.memory.get(), &byte, 1, 0) == 1);
  CHECK(byte == 'x');
  five.got.entry_of(1).fences = 7;
  CHECK(first.done.got.entry_of(1).fences == 7);
}

TEST_CASE(
    "connections without the secret, silent or with nonsense, delay no rank and get nothing") {
  test_node all{{0, 1}, {}};
  all.secret[3] = std::byte{7};
  first_rank first(all);
  const base::fd silent = connect_to(first);
  const base::fd gone = connect_to(first);
  ::shutdown(gone.get(), SHUT_RDWR);
  const base::fd sends_nonsense = connect_to(first);
  REQUIRE(::send(sends_nonsense.get(), "nonsense", 8, 0) == 8);
  test_node others = all;
  others.secret[3] = std::byte{8};
  const result stranger = join(first, others, 1);
  CHECK_FALSE(stranger.joined);
  CHECK(stranger.why.find(
            "rank 0 shares no memory with this one: it has not sent its descriptors") == 0);
  test_node larger = all;
  larger.ranks.push_back(2);
  CHECK_FALSE(join(first, larger, 2).joined);
  CHECK_FALSE(join(first, all, 0).joined);
  CHECK(join(first, all, 1).joined);
  first.finish();
  CHECK(first.done.joined);
  for (const base::fd* one : {&silent, &sends_nonsense}) CHECK(is_closed(*one));
}

TEST_CASE("a rank joins once") {
  const test_node all{{0, 1, 2}, {}};
  first_rank first(all);
  result one;
  result same;
  std::thread early([&] { one = join(first, all, 1); });
  std::thread late([&] { same = join(first, all, 1); });
  const result two = join(first, all, 2);
  early.join();
  late.join();
  CHECK(one.joined + same.joined == 1);
  CHECK(two.joined);
}

TEST_CASE("an unreachable first rank is an error that names the rank") {
  const test_node all{{4, 6}, {}};
  result alone;
  alone.joined = pmix::join_node_group(0x7a7a7a7a7a, all.as(6), alone.got, alone.why);
  CHECK_FALSE(alone.joined);
  CHECK(alone.why ==
        "rank 4 shares no memory with this one: its socket cannot be reached from here: "
        "Connection refused");
}

TEST_CASE("a signal does not interrupt a rank that waits at a full listener") {
  const test_node all{{0, 1}, {}};
  const base::fd listener = base::make_abstract_socket(SOCK_SEQPACKET);
  REQUIRE(::listen(listener.get(), 0) == 0);
  const base::socket_name name = base::name_of_socket(listener.get());
  const base::socket_address there(name);
  const base::fd first(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(first.get(), there.get(), there.size()) == 0);
  const base::fd full(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(full.get(), there.get(), there.size()) != 0);

  const am_test::signal_storm outside;
  std::thread opens = base::start_signal_masked_thread([&] {
    while (outside.signals() < 100) std::this_thread::yield();
    for (int accepted = 0; accepted < 2; ++accepted)
      (void)base::fd(::accept(listener.get(), nullptr, nullptr));
  });
  result joining;
  joining.joined = pmix::join_node_group(name, all.as(1), joining.got, joining.why);
  ::shutdown(listener.get(), SHUT_RDWR);
  opens.join();
  CHECK(joining.why.find("cannot be reached") == std::string::npos);
}

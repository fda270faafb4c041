// AM_FAULT's faults over the recording transport: they happen, they end, and nothing is lost,
// doubled or put out of order by them.
#include "one_of_four.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

using am_test::entry;
namespace base = am::detail::base;

namespace {

std::vector<am_word> came;
void note(am::request_token, am::word w) { came.push_back(w); }
void note_medium(am::request_token, std::span<const std::byte>, am::word w) { came.push_back(w); }

unsigned returned = 0;
void take_back(am_token, const am_returned*, void*) { ++returned; }

constexpr std::uint32_t window = 1000;

base::settings with(base::faults faults) {
  base::settings settings;
  settings.log = base::log_level::none;
  settings.fault = faults;
  return settings;
}

struct fixture : am_test::one_of_four {
  explicit fixture(base::faults faults) : one_of_four(window, with(faults)) {
    came.clear();
    returned = 0;
  }
  [[nodiscard]] std::uint64_t counted() const {
    am_traffic traffic{};
    REQUIRE(am_ep_stats_with(raw, 1, &traffic, sizeof traffic) == AM_OK);
    return traffic.requests;
  }
  // As many requests are counted as have left.
  am_status try_send(am_word number) {
    const am_status status = am_ep_try_request(raw, 1, entry<&note>(), number, 0, 0, 0);
    if (counted() != wire->requests.size()) ++miscounts;
    return status;
  }
  // How each of `count` requests went at its first try; all are sent in the end.
  std::vector<bool> send(unsigned count) {
    std::vector<bool> at_once;
    for (am_word number = 0; number < count; ++number) {
      am_status status = try_send(number);
      at_once.push_back(status == AM_OK);
      for (; status != AM_OK; status = try_send(number)) CHECK(status == AM_AGAIN_CREDIT);
    }
    return at_once;
  }
  am_status try_medium() {
    return am_ep_try_request_medium(raw, 1, entry<&note_medium>(), "x", 1, 0, 0, 0, 0);
  }

  unsigned miscounts = 0;
};

template <class Member>
base::faults only(Member base::faults::*one, std::uint64_t seed = 1, Member how = true) {
  base::faults faults;
  faults.*one = how;
  faults.seed = seed;
  return faults;
}

}  // namespace

TEST_CASE("without faults every request leaves at once") {
  fixture f({});
  const std::vector<bool> at_once = f.send(100);
  CHECK(std::count(at_once.begin(), at_once.end(), true) == 100);
}

TEST_CASE("credits are said to be used up now and then; each request leaves once, in order") {
  fixture f(only(&base::faults::again));
  unsigned refusals = 0;
  for (unsigned round = 0; round < 10; ++round) {
    for (const bool at_once : f.send(window)) refusals += !at_once;
    f.wire->silent[1] = (round + 1) * window;  // all are answered for
  }
  CHECK(refusals != 0);
  REQUIRE(f.wire->requests.size() == 10 * window);
  for (std::size_t i = 0; i < f.wire->requests.size(); ++i)
    CHECK(f.wire->requests[i].words[0] == i % window);
  CHECK(f.miscounts == 0);
}

TEST_CASE("room for payload is said to be used up, and the credit is not lost") {
  fixture f(only(&base::faults::again));
  unsigned refusals = 0;
  unsigned sent = 0;
  while (sent < window) {
    const am_status status = f.try_medium();
    if (status == AM_OK)
      ++sent;
    else
      refusals += status == AM_AGAIN_PAYLOAD;
  }
  CHECK(refusals > window / 100);
  CHECK(f.wire->requests.size() == window);
  CHECK(f.wire->credits_to(1).free() == 0);
}

TEST_CASE("a message for whose payload there is really no room uses up no credit") {
  fixture f(only(&base::faults::again));
  f.wire->payload_status = AM_AGAIN_PAYLOAD;
  for (unsigned tries = 0; tries < 100; ++tries) {
    CHECK(f.try_medium() != AM_OK);
    CHECK(f.counted() == 0);
  }
  CHECK(f.wire->credits_to(1).free() == window);
}

TEST_CASE("what comes is delivered late and in parts, all of it, in order") {
  fixture f(only(&base::faults::delay, 1, std::uint64_t{200}));
  constexpr unsigned messages = 2000;
  const std::uint32_t id = entry<&note>()->id;
  for (am_word number = 0; number < messages; ++number)
    f.wire->receive_request(2, id, {number, 0, 0, 0});
  unsigned late = 0;
  while (came.size() < messages) late += f.poll() == 0;
  CHECK(late != 0);
  CHECK(f.wire->polls > messages / 64);
  for (am_word number = 0; number < messages; ++number) CHECK(came[number] == number);
}

TEST_CASE("the same seed brings the same faults, another one others") {
  const auto go = [](std::uint64_t seed) {
    fixture f(only(&base::faults::again, seed));
    return f.send(window);
  };
  const std::vector<bool> first = go(7);
  CHECK(go(7) == first);
  CHECK(go(8) != first);
}

TEST_CASE("death takes one rank of the job, and another one with another seed") {
  constexpr unsigned seeds = 16;
  constexpr unsigned whole_life = (1U << 15U) + 1;  // in polls
  unsigned dead = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const pid_t child = ::fork();
    if (child == 0) {
      fixture f(only(&base::faults::kill, seed));
      for (unsigned i = 0; i < whole_life; ++i) (void)f.poll();
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    dead += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
  // Rank 0 is one of four.
  CHECK(dead > 0);
  CHECK(dead < seeds / 2);
}

TEST_CASE("the dead are heard of as without faults") {
  fixture f(only(&base::faults::again));
  am_ep_on_undeliverable(f.raw, &take_back, nullptr);
  (void)f.send(5);
  f.wire->tell_of_death(1);
  while (returned < 5) (void)f.poll();
  CHECK(am_ep_try_request(f.raw, 1, entry<&note>(), 0, 0, 0, 0) == AM_PEER_DEAD);
  CHECK(am_ep_deaths(f.raw) == 1);
}

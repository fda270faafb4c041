// The faults of AM_FAULT over the recording transport: they are injected, they end, and they lose,
// duplicate or reorder no message.
#include "four_rank_endpoint.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace protocol_faults {

using am_test::entry;
namespace base = am::detail::base;

namespace {

std::vector<am_word> received;
void note(am::request_token, am::word w) { received.push_back(w); }
void note_medium(am::request_token, std::span<const std::byte>, am::word w) {
  received.push_back(w);
}

unsigned returned_count = 0;
void on_undeliverable(am_token, const am_returned*, void*) { ++returned_count; }

constexpr std::uint32_t window = 1000;

base::settings with(base::faults faults) {
  base::settings settings;
  settings.log = base::log_level::none;
  settings.fault = faults;
  return settings;
}

struct fixture : am_test::four_rank_endpoint {
  explicit fixture(base::faults faults) : four_rank_endpoint(window, with(faults)) {
    received.clear();
    returned_count = 0;
  }
  [[nodiscard]] std::uint64_t counted() const {
    am_traffic traffic{};
    REQUIRE(am_ep_stats_with(raw, 1, &traffic, sizeof traffic) == AM_OK);
    return traffic.requests;
  }
  // The statistics count as many requests as were sent.
  am_status try_send(am_word number) {
    const am_status status = am_ep_try_request(raw, 1, entry<&note>(), number, 0, 0, 0);
    if (counted() != wire->requests.size()) ++miscounts;
    return status;
  }
  // Which of `count` requests were sent at the first try; all are sent in the end.
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

TEST_CASE("without faults every request is sent at once") {
  fixture f({});
  const std::vector<bool> at_once = f.send(100);
  CHECK(std::count(at_once.begin(), at_once.end(), true) == 100);
}

TEST_CASE("credits appear used up now and then; each request is sent once, in order") {
  fixture f(only(&base::faults::again));
  unsigned refusals = 0;
  for (unsigned round = 0; round < 10; ++round) {
    for (const bool at_once : f.send(window)) refusals += !at_once;
    f.wire->silent[1] = (round + 1) * window;  // all have completed
  }
  CHECK(refusals != 0);
  REQUIRE(f.wire->requests.size() == 10 * window);
  for (std::size_t i = 0; i < f.wire->requests.size(); ++i)
    CHECK(f.wire->requests[i].words[0] == i % window);
  CHECK(f.miscounts == 0);
}

TEST_CASE("payload room appears used up now and then, and the credit is not lost") {
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

TEST_CASE("a message for which there is really no payload room uses up no credit") {
  fixture f(only(&base::faults::again));
  f.wire->payload_status = AM_AGAIN_PAYLOAD;
  for (unsigned tries = 0; tries < 100; ++tries) {
    CHECK(f.try_medium() != AM_OK);
    CHECK(f.counted() == 0);
  }
  CHECK(f.wire->credits_to(1).free() == window);
}

TEST_CASE("messages are delivered late and in parts, all of them, in order") {
  fixture f(only(&base::faults::delay, 1, std::uint64_t{200}));
  constexpr unsigned messages = 2000;
  const std::uint32_t id = entry<&note>()->id;
  for (am_word number = 0; number < messages; ++number)
    f.wire->receive_request(2, id, {number, 0, 0, 0});
  unsigned late = 0;
  while (received.size() < messages) late += f.poll() == 0;
  CHECK(late != 0);
  CHECK(f.wire->polls > messages / 64);
  for (am_word number = 0; number < messages; ++number) CHECK(received[number] == number);
}

TEST_CASE("the same seed injects the same faults, another seed others") {
  const auto go = [](std::uint64_t seed) {
    fixture f(only(&base::faults::again, seed));
    return f.send(window);
  };
  const std::vector<bool> first = go(7);
  CHECK(go(7) == first);
  CHECK(go(8) != first);
}

TEST_CASE("kill ends one rank of the job, and another one with another seed") {
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

TEST_CASE("deaths are reported as without faults") {
  fixture f(only(&base::faults::again));
  am_ep_on_undeliverable(f.raw, &on_undeliverable, nullptr);
  (void)f.send(5);
  f.wire->inject_death(1);
  while (returned_count < 5) (void)f.poll();
  CHECK(am_ep_try_request(f.raw, 1, entry<&note>(), 0, 0, 0, 0) == AM_PEER_DEAD);
  CHECK(am_ep_deaths(f.raw) == 1);
}

}  // namespace protocol_faults

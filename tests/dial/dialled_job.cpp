// A dialled job of ranks in one process: what is never early, whatever the machine does, and
// what the order of stamps must not lose. Nothing here fails for being late.
#include <am/am.hpp>
#include <am/clock.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../support/thread_job.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct seen {
  std::vector<am::word> requests;
  std::vector<am::word> replies;
  std::size_t bytes = 0;
  unsigned got = 0;
  std::atomic<unsigned> counted = 0;  // read by other threads, too
  bool leave = false;
};

void replied(am::reply_token t, am::word number) { t.context<seen>()->replies.push_back(number); }
void answer_me(am::request_token t, am::word number) {
  t.context<seen>()->requests.push_back(number);
  t.reply<replied>(number);
}
void note(am::request_token t, am::word number) { t.context<seen>()->requests.push_back(number); }
void count(am::request_token t) { ++t.context<seen>()->counted; }
void take(am::request_token t, std::span<const std::byte> data, am::word number) {
  t.context<seen>()->requests.push_back(number);
  t.context<seen>()->bytes += data.size();
}
void on_got(am::reply_token t, void*, std::size_t) { ++t.context<seen>()->got; }
void leave(am::request_token t) { t.context<seen>()->leave = true; }

// Each rank runs `body`.
void in_threads(am_rank ranks, const char* dials,
                const std::function<void(am::endpoint& ep, seen (&all)[3])>& body) {
  am::detail::base::settings settings;
  settings.transport = "self,shm";
  settings.wait = am::detail::base::wait_mode::yield;
  REQUIRE(am::detail::base::read_dials(dials, settings.dial));
  am_test::thread_job job(ranks, settings);
  seen all[3];
  job.run([&](am_rank rank, const std::function<am::endpoint()>& join) {
    am::endpoint ep = join();
    ep.set_context(&all[rank]);
    body(ep, all);
    ep.close();
  });
}

// Rank 0 runs `test`, rank 1 serves until that returns.
void in_job(const char* dials,
            const std::function<void(am::endpoint& ep, seen& mine, seen& theirs)>& test) {
  in_threads(2, dials, [&](am::endpoint& ep, seen(&all)[3]) {
    if (ep.rank() == 1) return ep.wait([&] { return all[1].leave; });
    test(ep, all[0], all[1]);
    ep.request<leave>(1);
  });
}

// Until rank 1 has handled all that was sent to it.
void wait_for_all(am::endpoint& ep, seen& mine) {
  const std::size_t before = mine.replies.size();
  ep.request<answer_me>(1, am::word{0});
  ep.wait([&] { return mine.replies.size() != before; });
}

template <class What>
std::chrono::nanoseconds time_of(What&& what) {
  const auto start = steady_clock::now();
  what();
  return steady_clock::now() - start;
}

}  // namespace

TEST_CASE("a latency delays a request and its reply") {
  in_job("L=+20ms", [](am::endpoint& ep, seen& mine, seen&) {
    const auto took = time_of([&] {
      ep.request<answer_me>(1, am::word{7});
      ep.wait([&] { return !mine.replies.empty(); });
    });
    CHECK(took >= 40ms);
    CHECK(mine.replies == std::vector<am::word>{7});
  });
}

TEST_CASE("overheads keep the processor busy, once for each message and each handler") {
  in_job("o_s=+5ms", [](am::endpoint& ep, seen&, seen&) {
    CHECK(time_of([&] { ep.request<note>(1, am::word{1}); }) >= 5ms);
    const std::array<std::byte, 100> data{};
    CHECK(time_of([&] { ep.request<take>(1, std::span(data), am::word{2}); }) >= 5ms);
  });
  in_job("o_r=+5ms", [](am::endpoint& ep, seen& mine, seen&) {
    const auto took = time_of([&] {
      ep.request<answer_me>(1, am::word{1});
      ep.wait([&] { return !mine.replies.empty(); });
    });
    CHECK(took >= 10ms);
  });
}

TEST_CASE(
    "as wholes they are no shorter, once they are known, and each comes once for each message") {
  in_job("L=20ms", [](am::endpoint& ep, seen& mine, seen&) {
    for (unsigned i = 1; i <= 3; ++i)
      CHECK(time_of([&] {
              ep.request<answer_me>(1, am::word{i});
              ep.wait([&] { return mine.replies.size() == i; });
            }) >= 40ms);
  });
  // What is known may be a rest that something has delayed, which is then missing to the whole.
  in_job("o_s=5ms", [](am::endpoint& ep, seen&, seen&) {
    std::vector<std::chrono::nanoseconds> took(9);
    for (am::word i = 0; i < took.size(); ++i) took[i] = time_of([&] { ep.request<note>(1, i); });
    std::ranges::nth_element(took, took.begin() + 4);
    CHECK(took[4] >= 4900us);
  });
  // Each of many messages of one poll, and each lone one.
  for (const bool at_once : {true, false}) {
    CAPTURE(at_once);
    in_job("o_r=5ms", [&](am::endpoint& ep, seen& mine, seen&) {
      const auto start = steady_clock::now();
      for (am::word i = 0; i < 10; ++i) {
        ep.request<answer_me>(1, i);
        if (!at_once) ep.wait([&] { return mine.replies.size() == i + 1; });
      }
      ep.wait([&] { return mine.replies.size() == 10; });
      CHECK(steady_clock::now() - start >= (at_once ? 49ms : 98ms));
    });
  }
}

TEST_CASE("functions of the message: a latency and an overhead by its bytes") {
  const std::string path =
      std::filesystem::temp_directory_path() / ("libam-job-" + std::to_string(::getpid()));
  std::ofstream(path) << "0 1ms\n1000 20ms\n";
  in_job(("L=+@" + path).c_str(), [](am::endpoint& ep, seen& mine, seen&) {
    const std::vector<std::byte> data(1000);
    const auto send_and_wait = [&] {
      ep.request<take>(1, std::span(data), am::word{1});
      wait_for_all(ep, mine);
    };
    CHECK(time_of(send_and_wait) >= 21ms);
    CHECK(time_of([&] { wait_for_all(ep, mine); }) >= 2ms);
  });
  in_job(("o_s=+@" + path + ",o_r=+@" + path).c_str(), [](am::endpoint& ep, seen& mine, seen&) {
    const std::vector<std::byte> data(1000);
    CHECK(time_of([&] { ep.request<take>(1, std::span(data), am::word{1}); }) >= 20ms);
    CHECK(time_of([&] { wait_for_all(ep, mine); }) >= 20ms);  // behind the handler of the other
  });
  in_job(("g_r=+@" + path).c_str(), [](am::endpoint& ep, seen& mine, seen&) {
    const std::vector<std::byte> data(1000);
    CHECK(time_of([&] {
            for (am::word i = 0; i < 3; ++i) ep.request<take>(1, std::span(data), i);
            wait_for_all(ep, mine);
          }) >= 60ms);
  });
  std::filesystem::remove(path);
}

TEST_CASE("gaps of either end space messages, without delaying their sender") {
  for (const char* dials : {"g_s=2ms", "g_r=2ms"}) {
    CAPTURE(dials);
    in_job(dials, [](am::endpoint& ep, seen& mine, seen&) {
      const auto start = steady_clock::now();
      for (am::word i = 0; i < 11; ++i) ep.request<answer_me>(1, i);
      ep.wait([&] { return mine.replies.size() == 11; });
      CHECK(steady_clock::now() - start >= 20ms);
      for (am::word i = 0; i < 11; ++i) CHECK(mine.replies[i] == i);
    });
  }
}

TEST_CASE("bytes take their time in mediums") {
  in_job("G=1us", [](am::endpoint& ep, seen& mine, seen& theirs) {
    const std::vector<std::byte> data(8192);
    // The first fragment delays the last one, and both what follows.
    CHECK(time_of([&] {
            ep.request<take>(1, std::span(data), am::word{1});
            wait_for_all(ep, mine);
          }) >= 8192us);
    CHECK(theirs.bytes == 8192);
  });
}

TEST_CASE("a get between mapped segments ends when its last fragment would have come") {
  in_threads(2, "G=1us,L=+2ms", [](am::endpoint& ep, seen(&all)[3]) {
    const am::segment memory = ep.all_segments(8192);
    std::vector<std::byte> here(8192);
    if (ep.rank() == 0) {
      CHECK(time_of([&] {
              ep.get<on_got>(1, memory.address_at(1), std::span(here));
              ep.wait([&] { return all[0].got == 1; });
            }) >= 4096us + 2 * 2ms);
      ep.request<leave>(1);
    } else {
      ep.wait([&] { return all[1].leave; });
    }
  });
}

TEST_CASE("messages of all kinds keep their order, and each comes once") {
  in_job("o=+1us,L=+50us,g=2us,G=1ns,fragment=512", [](am::endpoint& ep, seen& mine, seen& theirs) {
    const std::vector<std::byte> data(3000);
    am::word sent = 0;
    std::size_t bytes = 0;
    for (int i = 0; i < 300; ++i) {
      ep.request<note>(1, sent++);
      ep.request<answer_me>(1, sent++);
      const std::size_t some = static_cast<std::size_t>(i) * 10;
      bytes += some;
      ep.request<take>(1, std::span<const std::byte>(data).first(some), sent++);
    }
    ep.wait([&] { return mine.replies.size() == 300; });
    wait_for_all(ep, mine);
    CHECK(theirs.bytes == bytes);
    REQUIRE(theirs.requests.size() == sent + 1);
    for (am::word i = 0; i < sent; ++i) CHECK(theirs.requests[i] == i);
    for (am::word i = 0; i < 300; ++i) CHECK(mine.replies[i] == 3 * i + 1);
  });
}

// No answer is asked for: it would make the ring of answers grow, too.
TEST_CASE("a ring grows, also where only silent requests go through it") {
  in_job("L=+1ms", [](am::endpoint& ep, seen&, seen& theirs) {
    constexpr unsigned first_window = 62;  // of a ring that has not grown
    for (unsigned i = 0; i < 1000; ++i) ep.request<count>(1);
    while (theirs.counted != 1000) ep.poll();
    unsigned window = 0;
    while (ep.try_request<count>(1) == AM_OK) ++window;
    CHECK(window > first_window);
  });
}

// It has credits for all of them, and so no reason to wait.
TEST_CASE("a rank that only makes requests accepts a new sender") {
  std::atomic<bool> sent = false;
  in_threads(3, "0", [&](am::endpoint& ep, seen(&all)[3]) {
    if (ep.rank() == 1) return ep.wait([&] { return all[1].leave; });
    if (ep.rank() == 2) {
      ep.request<note>(0, am::word{2});
      sent = true;
      return;
    }
    ep.request<count>(1);
    while (!sent) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) ep.request<count>(1);
    CHECK(all[0].requests == std::vector<am::word>{2});
    ep.request<leave>(1);
  });
}

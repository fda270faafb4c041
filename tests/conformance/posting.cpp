// post: functions from other threads and from handlers run at the owner, once, in order, outside
// handlers and outside each other.
#include "../support/suite.hpp"

#include <am/team.h>
#include <am/team.hpp>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

thread_local unsigned replies = 0;
void on_reply(am::reply_token) { ++replies; }
void on_request(am::request_token t) { t.reply<on_reply>(); }

thread_local am::endpoint* my_endpoint = nullptr;
void request_next() {
  my_endpoint->request<on_request>((my_endpoint->rank() + 1) % my_endpoint->ranks());
}
void post_a_request(am::request_token) { EXPECT(my_endpoint->post(&request_next).ok()); }
void post_a_request_on_reply(am::reply_token) { EXPECT(my_endpoint->post(&request_next).ok()); }
void reply_and_post(am::request_token t) { t.reply<post_a_request_on_reply>(); }

CASE("functions that handlers post may send requests") {
  auto& ep = job.ep();
  my_endpoint = &ep;
  const unsigned before = replies;
  ep.job_fence();
  ep.request<post_a_request>(job.next());
  ep.request<reply_and_post>(job.next());
  ep.wait([&] { return replies == before + 2; });
  ep.job_fence();
}

CASE("posted functions run in order, one in each poll; a full queue is again(queue)") {
  auto& ep = job.ep();
  constexpr unsigned places = 1024;
  std::vector<unsigned> ran;
  unsigned posted = 0;
  while (ep.post([&ran, posted] { ran.push_back(posted); })) ++posted;
  EXPECT_EQ(posted, places);
  EXPECT_EQ(ep.post([] {}), am::status(AM_AGAIN_QUEUE));
  for (unsigned i = 1; i <= places; ++i) {
    ep.poll();
    EXPECT_EQ(ran.size(), i);
  }
  EXPECT(ep.post([] {}).ok());
  ep.poll();
  for (unsigned i = 0; i < places; ++i) EXPECT_EQ(ran[i], i);
}

CASE("posted functions that post are run, and none inside another") {
  auto& ep = job.ep();
  unsigned left = 500;
  bool inside = false;
  std::function<void()> again = [&] {
    EXPECT(!inside);
    inside = true;
    if (--left != 0) EXPECT(ep.post(again).ok());
    ep.poll();
    EXPECT_EQ(ep.wait_for([] { return false; }, 1us), am::status(AM_AGAIN_TIME));
    inside = false;
  };
  EXPECT(ep.post(again).ok());
  ep.wait([&] { return left == 0; });
}

CASE("only the outermost poll or wait runs posted functions") {
  auto& ep = job.ep();
  bool ran = false;
  unsigned asked = 0;
  EXPECT(ep.post([&] { ran = true; }).ok());
  ep.wait([&] {
    if (++asked == 1) {
      ep.poll();
      EXPECT(!ran);
      EXPECT_EQ(ep.wait_for([] { return false; }, 1us), am::status(AM_AGAIN_TIME));
      EXPECT(!ran);
    }
    return ran;
  });
}

// A function of its own, so that the compiler does not see that it always throws.
[[noreturn]] void throw_word(const std::string& word) { throw std::runtime_error(word); }

template <class Call>
std::string thrown_in(Call&& call) {
  try {
    call();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing";
}

CASE("an exception of a posted function leaves the call that ran it, each separately") {
  auto& ep = job.ep();
  const auto post = [&](const char* word) {
    EXPECT(ep.post([word = std::string(word)] { throw_word(word); }).ok());
  };
  post("first");
  post("second");
  EXPECT_EQ(thrown_in([&] { ep.poll(); }), std::string("first"));
  EXPECT_EQ(thrown_in([&] { ep.wait([] { return false; }); }), std::string("second"));
  post("third");
  EXPECT_EQ(thrown_in([&] { (void)ep.wait_for([] { return false; }, 1h); }), std::string("third"));
  EXPECT_EQ(thrown_in([&] { ep.poll(); }), std::string("nothing"));
}

// ---- in calls that wait for all ranks -----------------------------------------------------------

thread_local unsigned signals = 0;
void on_signal(am::request_token) { ++signals; }

// Rank 0 posts `first`, and then a message that rank 1 waits for before it enters `collective`,
// too. When that returns both have run.
void enter_late(
    am_test::session& job, const std::function<void()>& collective,
    const std::function<void()>& first = [] {}) {
  auto& ep = job.ep();
  const unsigned before = signals;
  ep.job_fence();
  if (job.rank() == 0) {
    EXPECT(ep.post(first).ok());
    EXPECT(ep.post([&ep] { ep.request<on_signal>(1); }).ok());
  }
  if (job.rank() == 1) ep.wait([&] { return signals == before + 1; });
  collective();
}

CASE("a rank that waits for all ranks runs posted functions, for which another may wait",
     .ranks = 2) {
  auto& ep = job.ep();
  am::team all(ep);
  enter_late(job, [&] { ep.job_fence(); });
  enter_late(job, [&] { ep.update_handlers(); });
  enter_late(job, [&] { (void)ep.all_segments(8); });
  enter_late(job, [&] { all.barrier(); });
  enter_late(job, [&] { EXPECT_EQ(all.all_reduce(1U, std::plus<>()), job.ranks()); });
  enter_late(job, [&] { EXPECT_EQ(am_ep_barrier(ep.raw()), AM_OK); });
  ep.job_fence();
}

CASE("a team's collective inside another one of it is refused, and the outer one completes",
     .ranks = 2) {
  auto& ep = job.ep();
  am::team all(ep);
  am::status inner;
  const auto barrier = [&] { all.barrier(); };
  enter_late(job, barrier, [&] { inner = am_test::thrown_by(barrier); });
  if (job.rank() == 0) EXPECT_EQ(inner, am::status(AM_USAGE_IN_HANDLER));
  EXPECT_EQ(all.all_reduce(1U, std::plus<>()), job.ranks());
}

CASE("an exception of a posted function leaves a fence, but not a collective", .ranks = 2) {
  auto& ep = job.ep();
  am::team all(ep);
  const std::string nothing("nothing");
  const auto expect_of_0 = [&](const std::string& thrown, const std::string& word) {
    EXPECT_EQ(thrown, job.rank() == 0 ? word : nothing);
  };
  enter_late(
      job, [&] { expect_of_0(thrown_in([&] { ep.job_fence(); }), "in the fence"); },
      [] { throw_word("in the fence"); });
  enter_late(
      job, [&] { EXPECT_EQ(thrown_in([&] { all.barrier(); }), nothing); },
      [] { throw_word("in the barrier"); });
  expect_of_0(thrown_in([&] { ep.flush(); }), "in the barrier");
  EXPECT_EQ(thrown_in([&] { ep.poll(); }), nothing);
  ep.job_fence();
}

CASE("eight threads post to an owner that waits") {
  auto& ep = job.ep();
  constexpr unsigned threads = 8;
  const unsigned each = 20 + job.per_pair(4000) / 10;
  unsigned ran = 0;
  std::vector<unsigned> last(threads);
  std::vector<std::thread> posters;
  for (unsigned t = 0; t < threads; ++t)
    posters.emplace_back([&, t] {
      for (unsigned i = 1; i <= each; ++i) {
        // Now and then the owner gets the time to fall asleep.
        if (i % 16 == t) std::this_thread::sleep_for(300us);
        const auto one = [&, t, i] {
          EXPECT_EQ(last[t], i - 1);
          last[t] = i;
          ++ran;
        };
        while (!ep.post(one)) std::this_thread::yield();
      }
    });
  ep.wait([&] { return ran == threads * each; });
  for (std::thread& poster : posters) poster.join();
  EXPECT_EQ(ran, threads * each);
  ep.job_fence();
}

CASE("a post wakes a wait that nothing else would end, and is handled beside messages") {
  auto& ep = job.ep();
  my_endpoint = &ep;
  const unsigned before = replies;
  const unsigned count = 200;
  ep.job_fence();
  std::thread poster([&] {
    for (unsigned i = 0; i < count; ++i)
      while (!ep.post([&ep] { ep.request<on_request>((ep.rank() + 1) % ep.ranks()); }))
        std::this_thread::yield();
  });
  ep.wait([&] { return replies == before + count; });
  poster.join();
  ep.job_fence();
}

CASE("close runs posted functions, and after it post is refused") {
  am_ep* const raw = job.ep().raw();
  unsigned ran = 0;
  my_endpoint = &job.ep();
  for (unsigned i = 0; i < 10; ++i)
    EXPECT(job.ep()
               .post([&] {
                 ++ran;
                 request_next();
                 EXPECT_EQ(my_endpoint->post([] {}), am::status(AM_USAGE_LEFT));
               })
               .ok());
  const unsigned before = replies;
  job.leave();
  EXPECT_EQ(ran, 10U);
  EXPECT_EQ(replies, before + 10);
  EXPECT_EQ(am_ep_post(
                raw, [](void*) {}, nullptr),
            AM_USAGE_LEFT);
  EXPECT_EQ(am_ep_post(
                nullptr, [](void*) {}, nullptr),
            AM_USAGE_LEFT);
  job.join();
  EXPECT_EQ(am_ep_post(job.ep().raw(), nullptr, nullptr), AM_ARGUMENT_ADDRESS);
}

}  // namespace

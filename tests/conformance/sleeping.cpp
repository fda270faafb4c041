// Sleeping on the descriptor of an endpoint, in the program's own event loop. Nothing here has a
// time limit but the watchdog: a message that does not make the descriptor readable hangs the case.
#include "../support/suite.hpp"

#include <poll.h>

#include <thread>

namespace {

bool readable(int descriptor, int milliseconds) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, milliseconds) == 1;
}

// As in the event loop of a program.
template <class Done>
void sleep_until(am::endpoint& ep, Done&& done) {
  while (!done()) {
    if (ep.poll() == 0 && !done() && ep.arm()) EXPECT(readable(ep.fd(), -1));
  }
}

thread_local unsigned passes = 0;
void on_pass(am::request_token) { ++passes; }
thread_local unsigned asked = 0;
thread_local unsigned answers = 0;
void on_reply(am::reply_token) { ++answers; }
void on_request(am::request_token t) {
  ++asked;
  t.reply<on_reply>();
}

thread_local std::uint64_t bytes = 0;
void on_medium(am::request_token, std::span<const std::byte> data) { bytes += data.size(); }

CASE("the descriptor is the same from the join to the end, and -1 afterwards") {
  const int descriptor = job.ep().fd();
  EXPECT(descriptor >= 0);
  job.ep().job_fence();
  EXPECT_EQ(job.ep().fd(), descriptor);
  am_ep* const raw = job.ep().raw();
  job.leave();
  EXPECT_EQ(am_ep_fd(raw), -1);
  EXPECT_EQ(am_ep_fd(nullptr), -1);
  job.join();
}

CASE("arm is false while a message is waiting") {
  auto& ep = job.ep();
  ep.job_fence();
  const unsigned before = passes;
  if (!ep.try_request<on_pass>(job.rank())) am_test::fail(__FILE__, __LINE__, "no credit");
  EXPECT(!ep.arm());
  ep.wait([&] { return passes == before + 1; });
  bool ran = false;
  EXPECT(ep.post([&] { ran = true; }).ok());
  EXPECT(!ep.arm());
  ep.wait([&] { return ran; });
  ep.job_fence();
}

CASE("where no message comes arm is true, and the descriptor stays unreadable", .processes = true) {
  auto& ep = job.ep();
  ep.job_fence();
  while (!ep.arm()) ep.poll();
  EXPECT(!readable(ep.fd(), 0));
  ep.job_fence();
}

CASE("a message that is forwarded around wakes one sleeping rank after the other") {
  auto& ep = job.ep();
  const unsigned rounds = job.per_pair(4000);
  const unsigned before = passes;
  ep.job_fence();
  for (unsigned round = 1; round <= rounds; ++round) {
    if (job.rank() == 0) ep.request<on_pass>(job.next());
    sleep_until(ep, [&] { return passes == before + round; });
    if (job.rank() != 0) ep.request<on_pass>(job.next());
  }
  ep.job_fence();
}

CASE("all ranks request of all and sleep until they have the replies") {
  auto& ep = job.ep();
  const unsigned rounds = job.per_pair(8000) / 8;
  const unsigned before = answers;
  const unsigned asked_before = asked;
  ep.job_fence();
  for (unsigned round = 1; round <= rounds; ++round) {
    for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<on_request>(to);
    sleep_until(ep, [&] { return answers == before + round * job.ranks(); });
  }
  sleep_until(ep, [&] { return asked == asked_before + rounds * job.ranks(); });
  ep.job_fence();
}

CASE("a credit that returns wakes a sleeping rank", .ranks = 2) {
  auto& ep = job.ep();
  const unsigned before = passes;
  const unsigned count = 20000 / job.ranks();
  ep.job_fence();
  if (job.rank() == 1) {
    for (unsigned i = 0; i < count;) {
      if (ep.try_request<on_pass>(0))
        ++i;
      else if (ep.poll() == 0 && ep.arm())
        EXPECT(readable(ep.fd(), -1));
    }
  } else if (job.rank() == 0) {
    sleep_until(ep, [&] { return passes == before + count; });
  }
  ep.job_fence();
}

CASE("payload room that is released wakes a sleeping rank", .ranks = 2) {
  auto& ep = job.ep();
  bytes = 0;
  const unsigned count = 400;
  const std::vector<std::byte> data(ep.max_medium());
  ep.job_fence();
  if (job.rank() == 1) {
    for (unsigned i = 0; i < count;) {
      if (ep.try_request<on_medium>(0, data))
        ++i;
      else if (ep.poll() == 0 && ep.arm())
        EXPECT(readable(ep.fd(), -1));
    }
  } else if (job.rank() == 0) {
    sleep_until(ep, [&] { return bytes == std::uint64_t{count} * data.size(); });
  }
  ep.job_fence();
}

CASE("first contact wakes a sleeping rank") {
  for (unsigned round = 0; round < 3; ++round) {
    const unsigned before = passes;
    job.leave();
    job.join();
    job.ep().request<on_pass>(job.next());
    sleep_until(job.ep(), [&] { return passes == before + 1; });
    job.ep().job_fence();
  }
}

CASE("a posted function wakes a sleeping rank") {
  auto& ep = job.ep();
  for (unsigned round = 0; round < 50; ++round) {
    bool ran = false;
    std::thread poster([&] { EXPECT(ep.post([&] { ran = true; }).ok()); });
    sleep_until(ep, [&] { return ran; });
    poster.join();
  }
}

}  // namespace

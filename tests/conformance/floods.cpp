// Everybody sends to everybody, as fast as it goes: nothing is lost and nobody waits for ever, at
// any window, because a rank that waits for a credit runs the handlers of the others.
#include "../support/suite.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using bytes = std::span<const std::byte>;

struct tally {
  am::word count = 0;
  am::word sum = 0;
  void add(am::word value) {
    ++count;
    sum += value;
  }
};

am::word sum_to(am::word count) { return count * (count + 1) / 2; }

// ---- silent ----

thread_local tally silent_sum;
void silent(am::request_token, am::word value) { silent_sum.add(value); }

CASE("all to all, silent handlers") {
  auto& ep = job.ep();
  const am::word count = job.per_pair(1000000);
  for (am::word i = 1; i <= count; ++i)
    for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<silent>(to, i);
  ep.wait([&] { return silent_sum.count == count * job.ranks(); });
  ep.job_fence();
  EXPECT_EQ(silent_sum.count, count * job.ranks());
  EXPECT_EQ(silent_sum.sum, sum_to(count) * job.ranks());
}

// ---- replying ----

thread_local tally asked_sum;
thread_local tally answered_sum;
void answered(am::reply_token, am::word value) { answered_sum.add(value); }
void asked(am::request_token t, am::word value) {
  asked_sum.add(value);
  t.reply<answered>(value);
}

CASE("all to all, replying handlers") {
  auto& ep = job.ep();
  const am::word count = job.per_pair(600000);
  for (am::word i = 1; i <= count; ++i)
    for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<asked>(to, i);
  const am::word all = count * job.ranks();
  ep.wait([&] { return asked_sum.count == all && answered_sum.count == all; });
  ep.job_fence();
  EXPECT_EQ(answered_sum.count, all);
  EXPECT_EQ(asked_sum.sum, sum_to(count) * job.ranks());
  EXPECT_EQ(answered_sum.sum, sum_to(count) * job.ranks());
}

// ---- medium ----

thread_local tally medium_sum;
thread_local unsigned medium_wrong = 0;
void medium_back(am::reply_token, am::word value) { medium_sum.add(value); }
void medium(am::request_token t, bytes data, am::word value) {
  for (const std::byte b : data) medium_wrong += b != static_cast<std::byte>(value);
  if (value % 2 == 0) t.reply<medium_back>(value);
}

CASE("all to all, payloads of mixed sizes, every second one answered") {
  auto& ep = job.ep();
  const am::word count = job.per_pair(20000) / 2 * 2;
  std::vector<std::byte> data(ep.max_medium());
  for (am::word i = 1; i <= count; ++i) {
    const std::size_t size = (i * 2654435761U) % (i % 16 == 0 ? data.size() + 1 : 200);
    std::fill_n(data.begin(), size, static_cast<std::byte>(i));
    for (am::rank_id to = 0; to < job.ranks(); ++to)
      ep.request<medium>(to, bytes(data.data(), size), i);
  }
  const am::word all = count / 2 * job.ranks();
  ep.wait([&] { return medium_sum.count == all; });
  ep.job_fence();
  EXPECT_EQ(medium_sum.count, all);
  EXPECT_EQ(medium_wrong, 0U);
}

// ---- many to one, one to many ----

thread_local tally gathered;
thread_local tally gathered_back;
void gather_back(am::reply_token, am::word value) { gathered_back.add(value); }
void gather(am::request_token t, am::word value) {
  gathered.add(value);
  t.reply<gather_back>(value);
}

CASE("all to one, then one to all") {
  auto& ep = job.ep();
  const am::word count = job.per_pair(200000);
  for (am::word i = 1; i <= count; ++i) ep.request<gather>(0, i);
  ep.wait([&] { return gathered_back.count == count; });
  ep.job_fence();
  EXPECT_EQ(gathered.count, job.rank() == 0 ? count * job.ranks() : 0);
  ep.job_fence();
  if (job.rank() == 0) {
    for (am::word i = 1; i <= count; ++i)
      for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<gather>(to, i);
    ep.wait([&] { return gathered_back.count == count + count * job.ranks(); });
  }
  ep.job_fence();
  EXPECT_EQ(gathered.count, job.rank() == 0 ? count * (job.ranks() + 1) : count);
}

// ---- a flood from one peer does not shut the others out ----

thread_local bool heard_the_quiet_one = false;
thread_local bool told_to_stop = false;
void flood(am::request_token) {}
void quiet_one(am::request_token) { heard_the_quiet_one = true; }
void stop(am::request_token) { told_to_stop = true; }

CASE("one peer's flood does not keep another peer's message from being handled", .ranks = 3) {
  auto& ep = job.ep();
  for (const unsigned budget : {1U, 0U}) {
    for (const am::rank_id flooder : {1U, 2U}) {
      heard_the_quiet_one = told_to_stop = false;
      ep.job_fence();
      // The flood goes on until rank 0 has heard the other.
      if (job.rank() == flooder) {
        while (!told_to_stop) ep.request<flood>(0);
      } else if (job.rank() == 3 - flooder) {
        ep.request<quiet_one>(0);
      } else if (job.rank() == 0) {
        while (!heard_the_quiet_one) ep.poll(budget);
        ep.request<stop>(flooder);
      }
      ep.job_fence();
    }
  }
}

// ---- a target that does not look ----

thread_local tally late_sum;
thread_local bool sender_full = false;
void late(am::request_token, am::word value) { late_sum.add(value); }
void all_sent(am::request_token, am::word) { sender_full = true; }

CASE("a target that sleeps while its ring fills and grows loses nothing", .ranks = 2) {
  auto& ep = job.ep();
  for (unsigned round = 0; round < 3; ++round) {
    if (job.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      ep.wait([] { return sender_full; });
      sender_full = false;
    } else if (job.rank() == 1) {
      ep.request<late>(0, 1);
      am::word accepted = 1;
      am::status status;
      // Never blocking, so until the window is used up whatever the target does; a target that has
      // woken up may go on taking messages for ever.
      while (accepted < 100000 && (status = ep.try_request<late>(0, accepted + 1)).ok()) ++accepted;
      if (!status.ok()) EXPECT_EQ(status, am::status(AM_AGAIN_CREDIT));
      ep.job_put("floods.accepted", std::as_bytes(std::span(&accepted, 1)));
      ep.request<all_sent>(0, accepted);
    }
    ep.job_fence();
    if (job.rank() == 0) {
      am::word accepted = 0;
      const std::vector<std::byte> blob = ep.job_get(1, "floods.accepted");
      std::copy_n(blob.data(), sizeof accepted, reinterpret_cast<std::byte*>(&accepted));
      EXPECT_EQ(late_sum.count, accepted);
      EXPECT_EQ(late_sum.sum, sum_to(accepted));
      late_sum = {};
    }
    ep.job_fence();
  }
}

// ---- never waiting ----

thread_local tally tried_sum;
void tried(am::request_token, am::word value) { tried_sum.add(value); }

CASE("try_request never runs a handler, however much has come") {
  auto& ep = job.ep();
  // Everybody's messages are under way to everybody before anybody looks again.
  for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<tried>(to, 1);
  const am::word before = tried_sum.count;
  am::word accepted = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    const am::status status = ep.try_request<tried>(job.next(), 1);
    accepted += status.ok();
    if (!status.ok()) EXPECT_EQ(status, am::status(AM_AGAIN_CREDIT));
  }
  EXPECT_EQ(tried_sum.count, before);
  ep.job_put("floods.tried", std::as_bytes(std::span(&accepted, 1)));
  ep.job_fence();
  am::word expected = 0;
  const am::rank_id from = (job.rank() + job.ranks() - 1) % job.ranks();
  const std::vector<std::byte> blob = ep.job_get(from, "floods.tried");
  std::copy_n(blob.data(), sizeof expected, reinterpret_cast<std::byte*>(&expected));
  ep.wait([&] { return tried_sum.count == expected + job.ranks(); });
  ep.job_fence();
  EXPECT_EQ(tried_sum.count, expected + job.ranks());
}

}  // namespace

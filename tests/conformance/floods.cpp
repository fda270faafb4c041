// All ranks send to all, as fast as possible: nothing is lost and no rank waits forever, with any
// window, because a rank that waits for a credit runs handlers.
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
void on_silent(am::request_token, am::word value) { silent_sum.add(value); }

CASE("all to all, silent handlers") {
  auto& ep = job.ep();
  const am::word count = job.per_pair(1000000);
  for (am::word i = 1; i <= count; ++i)
    for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<on_silent>(to, i);
  ep.wait([&] { return silent_sum.count == count * job.ranks(); });
  ep.job_fence();
  EXPECT_EQ(silent_sum.count, count * job.ranks());
  EXPECT_EQ(silent_sum.sum, sum_to(count) * job.ranks());
}

// ---- replying ----

thread_local tally request_sum;
thread_local tally reply_sum;
void on_reply(am::reply_token, am::word value) { reply_sum.add(value); }
void on_request(am::request_token t, am::word value) {
  request_sum.add(value);
  t.reply<on_reply>(value);
}

CASE("all to all, replying handlers") {
  auto& ep = job.ep();
  const am::word count = job.per_pair(600000);
  for (am::word i = 1; i <= count; ++i)
    for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<on_request>(to, i);
  const am::word all = count * job.ranks();
  ep.wait([&] { return request_sum.count == all && reply_sum.count == all; });
  ep.job_fence();
  EXPECT_EQ(reply_sum.count, all);
  EXPECT_EQ(request_sum.sum, sum_to(count) * job.ranks());
  EXPECT_EQ(reply_sum.sum, sum_to(count) * job.ranks());
}

// ---- medium ----

thread_local tally medium_sum;
thread_local unsigned medium_wrong = 0;
void on_medium_reply(am::reply_token, am::word value) { medium_sum.add(value); }
void on_medium(am::request_token t, bytes data, am::word value) {
  for (const std::byte b : data) medium_wrong += b != static_cast<std::byte>(value);
  if (value % 2 == 0) t.reply<on_medium_reply>(value);
}

CASE("all to all, payloads of mixed sizes, every second one answered") {
  auto& ep = job.ep();
  const am::word count = job.per_pair(20000) / 2 * 2;
  std::vector<std::byte> data(ep.max_medium());
  for (am::word i = 1; i <= count; ++i) {
    const std::size_t size = (i * 2654435761U) % (i % 16 == 0 ? data.size() + 1 : 200);
    std::fill_n(data.begin(), size, static_cast<std::byte>(i));
    for (am::rank_id to = 0; to < job.ranks(); ++to)
      ep.request<on_medium>(to, bytes(data.data(), size), i);
  }
  const am::word all = count / 2 * job.ranks();
  ep.wait([&] { return medium_sum.count == all; });
  ep.job_fence();
  EXPECT_EQ(medium_sum.count, all);
  EXPECT_EQ(medium_wrong, 0U);
}

// ---- many to one, one to many ----

thread_local tally gathered;
thread_local tally gather_replies;
void on_gather_reply(am::reply_token, am::word value) { gather_replies.add(value); }
void on_gather(am::request_token t, am::word value) {
  gathered.add(value);
  t.reply<on_gather_reply>(value);
}

CASE("all to one, then one to all") {
  auto& ep = job.ep();
  const am::word count = job.per_pair(200000);
  for (am::word i = 1; i <= count; ++i) ep.request<on_gather>(0, i);
  ep.wait([&] { return gather_replies.count == count; });
  ep.job_fence();
  EXPECT_EQ(gathered.count, job.rank() == 0 ? count * job.ranks() : 0);
  ep.job_fence();
  if (job.rank() == 0) {
    for (am::word i = 1; i <= count; ++i)
      for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<on_gather>(to, i);
    ep.wait([&] { return gather_replies.count == count + count * job.ranks(); });
  }
  ep.job_fence();
  EXPECT_EQ(gathered.count, job.rank() == 0 ? count * (job.ranks() + 1) : count);
}

// ---- a flood from one peer does not starve the others ----

thread_local bool quiet_message_handled = false;
thread_local bool stop_received = false;
void on_flood(am::request_token) {}
void on_quiet_message(am::request_token) { quiet_message_handled = true; }
void on_stop(am::request_token) { stop_received = true; }

CASE("one peer's flood does not keep another peer's message from being handled", .ranks = 3) {
  auto& ep = job.ep();
  for (const unsigned budget : {1U, 0U}) {
    for (const am::rank_id flooder : {1U, 2U}) {
      quiet_message_handled = stop_received = false;
      ep.job_fence();
      // The flood continues until rank 0 has handled the other message.
      if (job.rank() == flooder) {
        while (!stop_received) ep.request<on_flood>(0);
      } else if (job.rank() == 3 - flooder) {
        ep.request<on_quiet_message>(0);
      } else if (job.rank() == 0) {
        while (!quiet_message_handled) ep.poll(budget);
        ep.request<on_stop>(flooder);
      }
      ep.job_fence();
    }
  }
}

// ---- a target that does not poll ----

thread_local tally late_sum;
thread_local bool sender_full = false;
void on_late(am::request_token, am::word value) { late_sum.add(value); }
void all_sent(am::request_token, am::word) { sender_full = true; }

CASE("a target that sleeps while its ring fills and grows loses nothing", .ranks = 2) {
  auto& ep = job.ep();
  for (unsigned round = 0; round < 3; ++round) {
    if (job.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      ep.wait([] { return sender_full; });
      sender_full = false;
    } else if (job.rank() == 1) {
      ep.request<on_late>(0, 1);
      am::word accepted = 1;
      am::status status;
      // try_request never blocks, so this ends when the window is used up, whatever the target
      // does; a target that is awake again may keep taking messages forever.
      while (accepted < 100000 && (status = ep.try_request<on_late>(0, accepted + 1)).ok())
        ++accepted;
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
void on_tried(am::request_token, am::word value) { tried_sum.add(value); }

CASE("try_request runs no handler, however many messages have arrived") {
  auto& ep = job.ep();
  // All ranks send to all before any of them polls again.
  for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<on_tried>(to, 1);
  const am::word before = tried_sum.count;
  am::word accepted = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    const am::status status = ep.try_request<on_tried>(job.next(), 1);
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

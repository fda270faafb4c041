// A handler that is missing at the target: the message comes back to its sender, once, whole, and
// the credit and the room that it took come home.
//
// Odd ranks register a handler while the job runs and tell everybody (update_handlers); even ranks
// never have it.
#include "../support/suite.hpp"

#include <string>
#include <vector>

namespace {

thread_local unsigned only_odd_ran = 0;
thread_local am::word only_odd_sum = 0;

void only_odd_fn(am_token, const am_word* words, const void*, std::size_t) {
  ++only_odd_ran;
  only_odd_sum += words[0];
}
am_handler only_odd{only_odd_fn, "conformance.only_odd", "conformance.only_odd",
                    nullptr,     AM_HANDLER_UNNUMBERED,  0};

struct came_back {
  unsigned count = 0;
  am::word sum = 0;
  unsigned wrong = 0;
  am::rank_id rank = 0;
  am_status request_inside = AM_OK;
  am_status reply_inside = AM_OK;
  am_status poll_inside = AM_OK;
};
thread_local came_back back;

void take_back(am::reply_token t, const am::returned& message) {
  ++back.count;
  back.sum += message.words[0];
  back.wrong +=
      message.reason != AM_ARGUMENT_HANDLER || message.unknown != 0 || message.words[1] != 2 ||
      message.words[2] != 3 || message.words[3] != ~am::word{0} ||
      std::string(message.handler) != "conformance.only_odd" || t.source() != message.rank;
  back.rank = message.rank;
  back.request_inside = am_ep_request(t.endpoint(), message.rank, &only_odd, 0, 0, 0, 0);
  back.poll_inside = am_ep_poll(t.endpoint(), 0, nullptr);
  back.reply_inside = am_token_reply(t.raw(), &only_odd, 0, 0, 0, 0);
}

bool has_it(am::rank_id rank) { return rank % 2 == 1; }

CASE("a request to a handler that the target lacks comes back with its words", .ranks = 2,
     .processes = true) {
  auto& ep = job.ep();
  if (has_it(job.rank())) am_handler_register(&only_odd);
  ep.update_handlers();
  ep.on_undeliverable<take_back>();
  const am::word count = job.per_pair(40000);
  const am::word odd_ranks = job.ranks() / 2;
  const am::word even_ranks = job.ranks() - odd_ranks;
  const std::vector<std::byte> data(500);
  am::word sent_to_even = 0;
  if (has_it(job.rank())) {
    for (am::word i = 1; i <= count; ++i) {
      for (am::rank_id to = 0; to < job.ranks(); ++to) {
        if (i % 2 == 0)
          am::detail::check(am_ep_request(ep.raw(), to, &only_odd, i, 2, 3, ~am::word{0}));
        else
          am::detail::check(am_ep_request_medium(ep.raw(), to, &only_odd, data.data(), data.size(),
                                                 i, 2, 3, ~am::word{0}));
        sent_to_even += !has_it(to);
      }
    }
    // A fence waits for ranks, not for what they have sent: that is counted here.
    ep.wait([&] { return back.count == sent_to_even && only_odd_ran == count * odd_ranks; });
  }
  ep.job_fence();
  const am::word sum = count * (count + 1) / 2;
  if (has_it(job.rank())) {
    EXPECT_EQ(only_odd_ran, count * odd_ranks);
    EXPECT_EQ(only_odd_sum, sum * odd_ranks);
    EXPECT_EQ(back.count, count * even_ranks);
    EXPECT_EQ(back.sum, sum * even_ranks);
    EXPECT_EQ(back.wrong, 0U);
    EXPECT(!has_it(back.rank));
    // The rights of a reply handler.
    EXPECT_EQ(back.request_inside, AM_USAGE_IN_HANDLER);
    EXPECT_EQ(back.poll_inside, AM_USAGE_IN_HANDLER);
    EXPECT_EQ(am_status_reason(back.reply_inside), AM_REASON_USAGE);
  } else {
    EXPECT_EQ(only_odd_ran, 0U);
    EXPECT_EQ(back.count, 0U);
  }
  ep.job_fence();
  // Everybody forgets it again: an unregistered handler can no longer be named.
  if (has_it(job.rank())) am_handler_unregister(&only_odd);
  ep.update_handlers();
  am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
}

// ---- the same across a join ----

CASE("handlers that differ between ranks from the start", .ranks = 2, .processes = true) {
  const bool mine = has_it(job.rank());
  job.leave();
  if (mine) am_handler_register(&only_odd);
  job.join();
  auto& ep = job.ep();
  ep.on_undeliverable<take_back>();
  back = {};
  only_odd_ran = 0;
  ep.job_fence();
  if (mine) {
    am::detail::check(am_ep_request(ep.raw(), 0, &only_odd, 1, 2, 3, ~am::word{0}));
    am::detail::check(am_ep_request(ep.raw(), job.rank(), &only_odd, 1, 2, 3, ~am::word{0}));
    ep.wait([] { return back.count == 1 && only_odd_ran == 1; });
    EXPECT_EQ(back.wrong, 0U);
    EXPECT_EQ(back.rank, am::rank_id{0});
  }
  job.leave();
  if (mine) am_handler_unregister(&only_odd);
  job.join();
}

}  // namespace

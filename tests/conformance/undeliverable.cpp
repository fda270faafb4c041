// A handler that is missing at the target: the message returns to its sender, once, whole, and the
// credit and room that it took are free again.
//
// Odd ranks register a handler while the job runs and announce it (update_handlers); even ranks
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

struct returned_messages {
  unsigned count = 0;
  am::word sum = 0;
  unsigned wrong = 0;
  am::rank_id rank = 0;
  am_status request_inside = AM_OK;
  am_status reply_inside = AM_OK;
  am_status poll_inside = AM_OK;
};
thread_local returned_messages returned;

void on_undeliverable(am::reply_token t, const am::returned& message) {
  ++returned.count;
  returned.sum += message.words[0];
  returned.wrong +=
      message.reason != AM_ARGUMENT_HANDLER || message.unknown != 0 || message.words[1] != 2 ||
      message.words[2] != 3 || message.words[3] != ~am::word{0} ||
      std::string(message.handler) != "conformance.only_odd" || t.source() != message.rank;
  returned.rank = message.rank;
  returned.request_inside = am_ep_request(t.endpoint(), message.rank, &only_odd, 0, 0, 0, 0);
  returned.poll_inside = am_ep_poll(t.endpoint(), 0, nullptr);
  returned.reply_inside = am_token_reply(t.raw(), &only_odd, 0, 0, 0, 0);
}

bool has_handler(am::rank_id rank) { return rank % 2 == 1; }

CASE("a request to a handler that the target lacks returns with its words", .ranks = 2,
     .processes = true) {
  auto& ep = job.ep();
  if (has_handler(job.rank())) am_handler_register(&only_odd);
  ep.update_handlers();
  ep.on_undeliverable<on_undeliverable>();
  const am::word count = job.per_pair(40000);
  const am::word odd_ranks = job.ranks() / 2;
  const am::word even_ranks = job.ranks() - odd_ranks;
  const std::vector<std::byte> data(500);
  am::word sent_to_even = 0;
  if (has_handler(job.rank())) {
    for (am::word i = 1; i <= count; ++i) {
      for (am::rank_id to = 0; to < job.ranks(); ++to) {
        if (i % 2 == 0)
          am::detail::check(am_ep_request(ep.raw(), to, &only_odd, i, 2, 3, ~am::word{0}));
        else
          am::detail::check(am_ep_request_medium(ep.raw(), to, &only_odd, data.data(), data.size(),
                                                 i, 2, 3, ~am::word{0}));
        sent_to_even += !has_handler(to);
      }
    }
    // A fence waits for ranks, not for their messages: these are counted here.
    ep.wait([&] { return returned.count == sent_to_even && only_odd_ran == count * odd_ranks; });
  }
  ep.job_fence();
  const am::word sum = count * (count + 1) / 2;
  if (has_handler(job.rank())) {
    EXPECT_EQ(only_odd_ran, count * odd_ranks);
    EXPECT_EQ(only_odd_sum, sum * odd_ranks);
    EXPECT_EQ(returned.count, count * even_ranks);
    EXPECT_EQ(returned.sum, sum * even_ranks);
    EXPECT_EQ(returned.wrong, 0U);
    EXPECT(!has_handler(returned.rank));
    // The rights of a reply handler.
    EXPECT_EQ(returned.request_inside, AM_USAGE_IN_HANDLER);
    EXPECT_EQ(returned.poll_inside, AM_USAGE_IN_HANDLER);
    EXPECT_EQ(am_status_reason(returned.reply_inside), AM_REASON_USAGE);
  } else {
    EXPECT_EQ(only_odd_ran, 0U);
    EXPECT_EQ(returned.count, 0U);
  }
  ep.job_fence();
  // All ranks drop it again: an unregistered handler can no longer be named.
  if (has_handler(job.rank())) am_handler_unregister(&only_odd);
  ep.update_handlers();
  am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
}

// ---- the same across a join ----

CASE("handlers that differ between ranks from the start", .ranks = 2, .processes = true) {
  const bool mine = has_handler(job.rank());
  job.leave();
  if (mine) am_handler_register(&only_odd);
  job.join();
  auto& ep = job.ep();
  ep.on_undeliverable<on_undeliverable>();
  returned = {};
  only_odd_ran = 0;
  ep.job_fence();
  if (mine) {
    am::detail::check(am_ep_request(ep.raw(), 0, &only_odd, 1, 2, 3, ~am::word{0}));
    am::detail::check(am_ep_request(ep.raw(), job.rank(), &only_odd, 1, 2, 3, ~am::word{0}));
    ep.wait([] { return returned.count == 1 && only_odd_ran == 1; });
    EXPECT_EQ(returned.wrong, 0U);
    EXPECT_EQ(returned.rank, am::rank_id{0});
  }
  job.leave();
  if (mine) am_handler_unregister(&only_odd);
  job.join();
}

}  // namespace

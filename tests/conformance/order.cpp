// Between two ranks, small and medium requests are handled in the order sent, each exactly once,
// and so are replies.
#include "../support/suite.hpp"

#include <array>
#include <vector>

namespace {

using bytes = std::span<const std::byte>;

struct from_one {
  std::uint64_t next_request = 0;
  std::uint64_t next_reply = 0;
};
thread_local std::vector<from_one> sources;
thread_local unsigned out_of_order = 0;

from_one& state_of(const am::token& t) {
  sources.resize(am_ep_ranks(t.endpoint()));
  return sources[t.source()];
}

void on_reply(am::reply_token t, std::uint64_t number) {
  from_one& from = state_of(t);
  out_of_order += number < from.next_reply;  // silent ones leave gaps
  from.next_reply = number + 1;
}
void check_order(am::request_token& t, std::uint64_t number) {
  out_of_order += number != state_of(t).next_request++;
}
void on_silent(am::request_token t, std::uint64_t number) { check_order(t, number); }
void on_replying(am::request_token t, std::uint64_t number) {
  check_order(t, number);
  t.reply<on_reply>(number);
}
void on_silent_medium(am::request_token t, bytes data, std::uint64_t number) {
  check_order(t, number);
  out_of_order += data.size() != number % 300;
}
void on_replying_medium(am::request_token t, bytes data, std::uint64_t number) {
  check_order(t, number);
  out_of_order += data.size() != number % 300;
  t.reply<on_reply>(number);
}

CASE("requests of all kinds are handled in order and exactly once, and so are replies") {
  auto& ep = job.ep();
  const std::uint64_t count = job.per_pair(80000);
  const std::array<std::byte, 300> data{};
  std::uint32_t rng = job.rank() * 977 + 5;
  for (std::uint64_t number = 0; number < count; ++number) {
    for (am::rank_id to = 0; to < job.ranks(); ++to) {
      rng = rng * 1664525 + 1013904223;
      const bytes some(data.data(), number % 300);
      // The last is answered, so that its reply shows that all were handled.
      switch (number + 1 == count ? 1 : (rng >> 24) % 5) {
        case 0: ep.request<on_silent>(to, number); break;
        case 1: ep.request<on_replying>(to, number); break;
        case 2: ep.request<on_silent_medium>(to, some, number); break;
        case 3: ep.request<on_replying_medium>(to, some, number); break;
        default:
          while (!ep.try_request<on_silent>(to, number)) ep.poll();
      }
    }
  }
  sources.resize(job.ranks());
  ep.wait([&] {
    for (const from_one& from : sources)
      if (from.next_reply != count || from.next_request != count) return false;
    return true;
  });
  ep.job_fence();
  EXPECT_EQ(out_of_order, 0U);
  for (const from_one& from : sources) EXPECT_EQ(from.next_request, count);
}

}  // namespace

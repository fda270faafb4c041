// Messages of a rank to itself take the same path as all others: no call runs the handler of the
// message that it sends.
#include "../support/suite.hpp"

#include <vector>

namespace {

thread_local am::word handled = 0;  // the highest number handled so far, from 1
thread_local am::word replied = 0;

void on_self_reply(am::reply_token, am::word number) { replied = number; }
void on_self_silent(am::request_token, am::word number) { handled = number; }
void on_self_request(am::request_token t, am::word number) {
  handled = number;
  t.reply<on_self_reply>(number);
}
void on_self_medium(am::request_token, std::span<const std::byte>, am::word number) {
  handled = number;
}

CASE("a message to the own rank is never handled by the call that sends it") {
  auto& ep = job.ep();
  const std::vector<std::byte> data(1000);
  am::word number = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    ep.request<on_self_silent>(job.rank(), ++number);
    EXPECT(handled < number);
    ep.request<on_self_request>(job.rank(), ++number);
    EXPECT(handled < number);
    ep.request<on_self_medium>(job.rank(), data, ++number);
    EXPECT(handled < number);
    const am::word before = handled;
    if (ep.try_request<on_self_silent>(job.rank(), number + 1)) ++number;
    EXPECT_EQ(handled, before);
  }
  ep.wait([&] { return handled == number; });
  ep.wait([&] { return replied > 0; });
}

CASE("a poll after a message to the own rank handles it and delivers the reply") {
  auto& ep = job.ep();
  ep.job_fence();
  const am::word before = handled;
  ep.request<on_self_request>(job.rank(), before + 1);
  while (handled != before + 1) EXPECT(ep.poll() > 0);
  while (replied != before + 1) EXPECT(ep.poll() > 0);
}

}  // namespace

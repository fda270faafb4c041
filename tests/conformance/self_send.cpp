// Messages to oneself take the same road as all others: no call runs the handler of the message
// that it is itself sending.
#include "../support/suite.hpp"

#include <vector>

namespace {

thread_local am::word handled = 0;  // the highest number handled so far, from 1
thread_local am::word replied = 0;

void self_back(am::reply_token, am::word number) { replied = number; }
void self_silent(am::request_token, am::word number) { handled = number; }
void self_replying(am::request_token t, am::word number) {
  handled = number;
  t.reply<self_back>(number);
}
void self_medium(am::request_token, std::span<const std::byte>, am::word number) {
  handled = number;
}

CASE("a message to oneself is never handled by the call that sends it") {
  auto& ep = job.ep();
  const std::vector<std::byte> data(1000);
  am::word number = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    ep.request<self_silent>(job.rank(), ++number);
    EXPECT(handled < number);
    ep.request<self_replying>(job.rank(), ++number);
    EXPECT(handled < number);
    ep.request<self_medium>(job.rank(), data, ++number);
    EXPECT(handled < number);
    const am::word before = handled;
    if (ep.try_request<self_silent>(job.rank(), number + 1)) ++number;
    EXPECT_EQ(handled, before);
  }
  ep.wait([&] { return handled == number; });
  ep.wait([&] { return replied > 0; });
}

CASE("a poll after a message to oneself handles it and brings the reply") {
  auto& ep = job.ep();
  ep.job_fence();
  const am::word before = handled;
  ep.request<self_replying>(job.rank(), before + 1);
  while (handled != before + 1) EXPECT(ep.poll() > 0);
  while (replied != before + 1) EXPECT(ep.poll() > 0);
}

}  // namespace

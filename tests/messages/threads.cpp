// AM_PROGRESS=thread: messages move while the program computes, and every thread may use a mailbox.
// In other jobs these cases do what one thread may do.
#include "job.hpp"

#include <array>
#include <chrono>
#include <thread>

namespace messages_test {
namespace {

using one_word = std::array<std::uint32_t, 1>;

void nothing(am::request_token) {}

CASE("a long message is sent while its sender does not call libam") {
  mailbox m(job.ep());
  std::vector<std::uint8_t> in(200000);
  const auto out = bytes_of(in.size(), m.rank());
  request send = m.isend(behind(m), 1, out);
  EXPECT(m.recv(before(m), 1, in).ok());
  EXPECT(in == bytes_of(in.size(), before(m)));
  if (!has_thread(job)) return;
  // The test of a request makes no call of libam there.
  while (!send.test()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

CASE("several threads use a mailbox, each with a tag of its own") {
  mailbox m(job.ep());
  const std::uint32_t count = job.per_rank(200);
  const auto talk = [&](std::int32_t tag) {
    for (std::uint32_t i = 0; i < count; ++i) {
      one_word in{};
      const one_word out{i};
      EXPECT(m.sendrecv(behind(m), tag, out, before(m), tag, in).ok());
      EXPECT_EQ(in[0], i);
    }
  };
  if (!has_thread(job)) return talk(0);
  std::array<std::thread, 3> others;
  for (std::size_t i = 0; i < others.size(); ++i)
    others[i] = std::thread(talk, static_cast<std::int32_t>(i + 1));
  talk(0);
  for (std::thread& one : others) one.join();
}

CASE("a call that is handed over throws what it throws") {
  mailbox m(job.ep());
  const auto bad = [&] { m.run([&] { job.ep().request<nothing>(job.ranks()); }); };
  EXPECT(am_test::thrown_by(bad) == AM_ARGUMENT_RANK);
  EXPECT_EQ(m.run([] { return 5; }), 5);
}

CASE("the endpoint is the program's again after its last mailbox") {
  for (int i = 0; i < 3; ++i) {
    mailbox a(job.ep());
    mailbox b(job.ep());
    b.send(behind(b), 1, one_word{7});
    one_word in{};
    EXPECT(b.recv(before(b), 1, in).ok());
  }
  job.ep().poll();
}

}  // namespace
}  // namespace messages_test

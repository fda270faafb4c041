// Requests: completion in any order, cancelling, destructors.
#include "job.hpp"

#include <array>
#include <optional>
#include <thread>

namespace messages_test {
namespace {

using one_word = std::array<std::uint32_t, 1>;

CASE("wait_any returns each active request once") {
  mailbox m(job.ep());
  constexpr std::size_t count = 8;
  std::array<one_word, count> in{};
  std::vector<request> receives;
  for (std::size_t i = 0; i < count; ++i)
    receives.push_back(m.irecv(before(m), static_cast<std::int32_t>(i), in[i]));
  for (std::size_t i = count; i-- > 0;)
    m.send(behind(m), static_cast<std::int32_t>(i), one_word{static_cast<std::uint32_t>(i)});
  std::array<bool, count> seen{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = wait_any(receives);
    EXPECT(at < count && !seen[at] && !receives[at].is_active());
    seen[at] = true;
    EXPECT_EQ(in[at][0], at);
  }
  EXPECT_EQ(wait_any(receives), count);
}

CASE("wait_any returns sends that have ended at once, too") {
  mailbox m(job.ep());
  const one_word out{1};
  one_word in{};
  std::array<request, 2> both{m.isend(behind(m), 1, out), request{}};
  EXPECT_EQ(wait_any(both), 0U);
  EXPECT_EQ(wait_any(both), 2U);
  m.recv(before(m), 1, in);
}

CASE("a cancelled receive gets no message, which stays for the next") {
  mailbox m(job.ep());
  for (const rank_id from : {before(m), any_source}) {
    one_word first{}, second{};
    request gone = m.irecv(from, 1, first);
    request kept = m.irecv(from, 1, second);
    EXPECT(cancel(gone));
    EXPECT(!cancel(gone));
    EXPECT(wait(gone).how == outcome::cancelled);
    fence(job, m);
    m.send(behind(m), 1, one_word{8});
    EXPECT(wait(kept).ok());
    EXPECT_EQ(first[0], 0U);
    EXPECT_EQ(second[0], 8U);
    EXPECT(!cancel(kept));
    fence(job, m);
  }
}

CASE("a receive that has its message is not cancelled") {
  mailbox m(job.ep());
  one_word in{};
  m.send(m.rank(), 1, one_word{3});
  request receive = m.irecv(m.rank(), 1, in);
  m.run([&] { job.ep().wait([&] { return in[0] == 3; }); });
  EXPECT(!cancel(receive));
  EXPECT(wait(receive).ok());
}

CASE("cancels race with messages: each is received once, or cancelled") {
  mailbox m(job.ep());
  const std::uint32_t rounds = job.per_rank(500);
  std::uint32_t received = 0, sent = 0;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    one_word in{};
    request receive = m.irecv(before(m), 1, in);
    if (i % 3 != 0) {
      m.send(behind(m), 1, one_word{sent++});
    }
    if (i % 2 == 0) (void)test(receive);
    (void)cancel(receive);
    if (wait(receive).ok()) EXPECT_EQ(in[0], received++);
  }
  for (; received < sent; ++received) {
    one_word in{};
    EXPECT(m.recv(before(m), 1, in).ok());
    EXPECT_EQ(in[0], received);
  }
}

CASE("the destructor of a request cancels a receive and waits for a send") {
  mailbox m(job.ep());
  const auto out = bytes_of(50000, m.rank());
  std::vector<std::uint8_t> in(50000);
  { const request none = m.irecv(before(m), 5, in); }
  request receive = m.irecv(before(m), 1, in);
  { const request send = m.isend(behind(m), 1, out); }
  EXPECT(wait(receive).ok());
  EXPECT(in == bytes_of(50000, before(m)));
}

CASE("a request is moved, and assigned to") {
  mailbox m(job.ep());
  one_word in{}, out{4};
  request receive = m.irecv(before(m), 1, in);
  request other = std::move(receive);
  EXPECT(!receive.is_active());
  EXPECT(other.is_active());
  m.send(behind(m), 1, out);
  receive = std::move(other);
  EXPECT(wait(receive).ok());
  EXPECT(test(receive));
  receive = request{};
  EXPECT(wait(receive).ok());
}

CASE("a synchronous send ends though the rank that has received calls no mailbox any more") {
  mailbox m(job.ep());
  if (m.ranks() == 1) return;
  for (const std::size_t size : sizes) {
    const auto out = bytes_of(size, 1);
    std::vector<std::uint8_t> in(size);
    request send;
    if (m.rank() == 0) send = m.issend(1, 1, out);
    fence(job, m);
    if (m.rank() == 0) EXPECT(wait(send).ok());
    if (m.rank() == 1) EXPECT(m.recv(0, 1, in).ok());
    fence(job, m);
  }
}

CASE("a send that had to wait leaves though its rank calls no mailbox any more") {
  mailbox m(job.ep(), {.eager = 0, .kept = 0, .offers = 1});
  if (m.ranks() == 1) return;
  const auto out = bytes_of(100, 1);
  std::vector<request> sends;
  if (m.rank() == 0)
    for (int i = 0; i < 5; ++i) sends.push_back(m.isend(1, 1, out));
  fence(job, m);
  if (m.rank() == 1) {
    for (int i = 0; i < 5; ++i) {
      std::vector<std::uint8_t> in(100);
      EXPECT(m.recv(0, 1, in).ok());
      EXPECT(in == out);
    }
  }
  fence(job, m);
  EXPECT(wait_all(sends) == outcome::ok);
}

CASE("wait_any waits for requests of several mailboxes") {
  mailbox a(job.ep()), b(job.ep());
  std::array<one_word, 2> in{};
  std::array<request, 2> both{a.irecv(before(a), 1, in[0]), b.irecv(before(b), 1, in[1])};
  b.send(behind(b), 1, one_word{5});
  EXPECT_EQ(wait_any(both), 1U);
  EXPECT_EQ(in[1][0], 5U);
  fence(job, a);
  EXPECT(cancel(both[0]));
  EXPECT_EQ(wait_any(both), 0U);
}

CASE("a send that is refused leaves nothing behind") {
  mailbox m(job.ep());
  if (has_thread(job)) return;
  am::status thrown;
  const auto out = bytes_of(100000, 1);
  std::thread([&] {
    thrown = am_test::thrown_by([&] { (void)m.isend(m.rank(), 1, out); });
  }).join();
  EXPECT(thrown == AM_USAGE_OTHER_THREAD);
}

CASE("bad ranks and tags are refused, and nothing happens") {
  mailbox m(job.ep());
  const one_word out{1};
  one_word in{};
  EXPECT(am_test::thrown_by([&] { m.send(m.ranks(), 1, out); }) == AM_ARGUMENT_RANK);
  EXPECT(am_test::thrown_by([&] { (void)m.irecv(m.ranks(), 1, in); }) == AM_ARGUMENT_RANK);
  EXPECT(am_test::thrown_by([&] { m.send(0, -1, out); }) == AM_ARGUMENT_SIZE);
  EXPECT(am_test::thrown_by([&] { (void)m.irecv(0, -2, in); }) == AM_ARGUMENT_SIZE);
  EXPECT(am_test::thrown_by([&] { (void)m.probe(0, -2); }) == AM_ARGUMENT_SIZE);
}

}  // namespace
}  // namespace messages_test

// How far sends go before their receives: what is kept, what is offered, and what waits.
#include "job.hpp"

#include <algorithm>
#include <array>

namespace messages_test {
namespace {

using one_word = std::array<std::uint32_t, 1>;

// Four messages of a word are kept, each with 64 bytes.
constexpr limits four_words{.eager = 100, .kept = 300, .offers = 4};

// Sends so many, which must leave without a receive.
void send_words(mailbox& m, std::uint32_t from, std::uint32_t count) {
  for (std::uint32_t i = from; i < from + count; ++i) {
    const one_word out{i};
    request one = m.isend(behind(m), 1, out);
    EXPECT(ends_soon(one) && one.result().ok());
  }
}
void receive_words(mailbox& m, std::uint32_t from, std::uint32_t count) {
  for (std::uint32_t i = from; i < from + count; ++i) {
    one_word in{};
    EXPECT(m.recv(before(m), 1, in).ok());
    EXPECT_EQ(in[0], i);
  }
}

// Messages of one rank come in order, and so do answers to what is received after it has come: a
// long message finds everything before it at its receiver, and its answer all answers before it.
void settle(mailbox& m) {
  const auto out = bytes_of(four_words.eager + 1, 0);
  std::vector<std::uint8_t> in(out.size());
  EXPECT(m.sendrecv(behind(m), 98, out, before(m), 98, in).ok());
}

// Until what is on its way has come, without a message whose answer returns room. With one credit
// each of four answers waits until both ranks have polled.
void idle(am_test::session& job, mailbox& m) {
  for (int i = 0; i < 20; ++i) {
    for (int polls = 0; polls < 20; ++polls) (void)m.iprobe(any_source, 97);
    fence(job, m);
  }
}

CASE("as many messages are kept as have been received, and no more") {
  mailbox m(job.ep(), four_words);
  send_words(m, 0, 4);
  std::uint32_t sent = 4, received = 0;
  for (const std::uint32_t count : {4U, 1U, 2U, 4U, 4U}) {
    settle(m);
    receive_words(m, received, count);
    received += count;
    idle(job, m);
    send_words(m, sent, count);
    sent += count;
    // One more would be one too many.
    const one_word out{sent};
    request open = m.isend(behind(m), 2, out);
    for (int i = 0; i < 20; ++i) EXPECT(!test(open));
    fence(job, m);
    one_word in{};
    EXPECT(m.recv(before(m), 2, in).ok());
    EXPECT(wait(open).ok());
  }
  receive_words(m, received, sent - received);
}

CASE("messages that find their receives take no room") {
  mailbox m(job.ep(), four_words);
  for (std::uint32_t round = 0; round < 3; ++round) {
    std::array<one_word, 4> in{};
    std::vector<request> receives;
    for (one_word& one : in) receives.push_back(m.irecv(before(m), 1, one));
    fence(job, m);
    send_words(m, 4 * round, 4);
    EXPECT(wait_all(receives) == outcome::ok);
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(in[i][0], 4 * round + i);
    idle(job, m);
  }
}

CASE("no more room is returned than was taken") {
  mailbox m(job.ep(), four_words);
  const one_word little{1};
  std::array<one_word, 2> in{};
  std::array<request, 2> receives{m.irecv(before(m), 1, in[0]), m.irecv(before(m), 1, in[1])};
  fence(job, m);
  // Two that are kept, two that return their room at once.
  for (const std::int32_t tag : {2, 2, 1, 1}) EXPECT(m.send(behind(m), tag, little).ok());
  EXPECT(wait_all(receives) == outcome::ok);
  idle(job, m);
  for (int i = 0; i < 2; ++i) EXPECT(m.send(behind(m), 2, little).ok());
  request fifth = m.isend(behind(m), 2, little);
  for (int i = 0; i < 20; ++i) EXPECT(!test(fifth));
  fence(job, m);
  for (int i = 0; i < 5; ++i) EXPECT(m.recv(before(m), 2, in[0]).ok());
  EXPECT(wait(fifth).ok());
}

CASE("receives whose answers core has no place for return all room") {
  const std::uint32_t count = many_answers(job);
  mailbox m(job.ep(), {.eager = four_words.eager, .kept = std::size_t{68} * count});
  const one_word little{1};
  std::vector<request> sends;
  for (std::uint32_t i = 0; i < count; ++i) sends.push_back(m.issend(behind(m), 2, little));
  settle(m);
  // Without a poll.
  one_word in{};
  for (std::uint32_t i = 0; i < count; ++i) EXPECT(m.recv(before(m), 2, in).ok());
  EXPECT(wait_all(sends) == outcome::ok);
  settle(m);
  send_words(m, 0, count);
  receive_words(m, 0, count);
}

// Whether a message of this tag has come.
bool has_come(mailbox& m, std::int32_t tag) {
  for (int i = 0; i < 20; ++i)
    if (m.iprobe(before(m), tag).has_value()) return true;
  return false;
}

CASE("no more messages are offered than the limit allows") {
  mailbox m(job.ep(), {.eager = 0, .kept = 0, .offers = 2});
  constexpr std::int32_t tags = 6;
  const auto out = bytes_of(100, m.rank());
  std::vector<request> sends;
  for (std::int32_t tag = 0; tag < tags; ++tag) sends.push_back(m.isend(behind(m), tag, out));
  fence(job, m);
  for (std::int32_t tag = 0; tag < tags; ++tag) {
    EXPECT(m.probe(before(m), std::min(tag + 1, tags - 1)).ok());
    EXPECT(has_come(m, tag));
    EXPECT(!has_come(m, tag + 2));
    fence(job, m);
    std::vector<std::uint8_t> in(100);
    EXPECT(m.recv(before(m), tag, in).ok());
  }
  EXPECT(wait_all(sends) == outcome::ok);
}

CASE("a message of few bytes does not overtake long ones that wait") {
  mailbox m(job.ep(), {.offers = 1});
  const auto out = bytes_of(50000, 1);
  for (const bool synchronous : {false, true}) {
    const one_word little{m.rank()};
    std::vector<request> sends;
    for (int i = 0; i < 3; ++i) sends.push_back(m.isend(behind(m), 1, out));
    sends.push_back(synchronous ? m.issend(behind(m), 1, little) : m.isend(behind(m), 1, little));
    fence(job, m);
    std::vector<std::uint8_t> in(50000);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(m.recv(before(m), 1, in).bytes, 50000U);
    one_word last{};
    EXPECT(m.recv(before(m), 1, last).ok());
    EXPECT_EQ(last[0], before(m));
    EXPECT(wait_all(sends) == outcome::ok);
  }
}

CASE("sends that wait for a credit leave while their rank waits for something else") {
  mailbox m(job.ep());
  constexpr std::uint32_t count = 20;
  std::array<one_word, count> in{}, out{};
  std::vector<request> all;
  for (one_word& one : in) all.push_back(m.irecv(before(m), 1, one));
  fence(job, m);
  for (std::uint32_t i = 0; i < count; ++i) {
    out[i][0] = i + 1;
    all.push_back(m.isend(behind(m), 1, out[i]));
  }
  m.run([&] { job.ep().wait([&] { return in.back()[0] == count; }); });
  EXPECT(wait_all(all) == outcome::ok);
}

CASE("limits that libam cannot have are the nearest ones") {
  mailbox m(job.ep(), {.eager = 1U << 30, .offers = 0});
  EXPECT_EQ(m.most().eager, am_ep_max_medium(job.ep().raw()));
  EXPECT_EQ(m.most().offers, 1U);
  const auto out = bytes_of(m.most().eager + 1, m.rank());
  std::vector<std::uint8_t> in(out.size());
  EXPECT(m.sendrecv(behind(m), 1, out, before(m), 1, in).ok());
  EXPECT(in == bytes_of(in.size(), before(m)));
}

}  // namespace
}  // namespace messages_test

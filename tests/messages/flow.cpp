// Flow control: what comes before its receives is bounded, and nothing waits for memory.
#include "job.hpp"

#include <array>

namespace messages_test {
namespace {

using one_word = std::array<std::uint32_t, 1>;

constexpr limits narrow{.eager = 100, .kept = 300, .offers = 4};

CASE("a mailbox takes the smallest limits of all ranks") {
  mailbox m(job.ep(), {.eager = 1000U + job.rank(), .kept = 5000U - job.rank(), .offers = 50});
  EXPECT_EQ(m.most().eager, 1000U);
  EXPECT_EQ(m.most().kept, 5000U - (m.ranks() - 1));
  EXPECT_EQ(m.most().offers, 50U);
}

CASE("sends end while no rank receives, as far as their messages are kept") {
  mailbox m(job.ep(), narrow);
  // Each counts as 4 and 64 bytes: four fit.
  for (std::uint32_t i = 0; i < 4; ++i) m.send(behind(m), 1, one_word{i});
  const one_word fifth{4};
  request open = m.isend(behind(m), 1, fifth);
  for (int i = 0; i < 20; ++i) EXPECT(!test(open));
  fence(job, m);
  for (std::uint32_t i = 0; i < 5; ++i) {
    one_word in{};
    EXPECT(m.recv(before(m), 1, in).ok());
    EXPECT_EQ(in[0], i);
  }
  EXPECT(wait(open).ok());
}

CASE("a flood before its receives keeps its order through eager, offered and waiting messages") {
  for (const limits most : {narrow, limits{.eager = 0, .kept = 0, .offers = 1}, limits{}}) {
    mailbox m(job.ep(), most);
    const std::uint32_t count = job.per_rank(300);
    std::vector<std::vector<std::uint8_t>> out;
    std::vector<request> sends;
    for (std::uint32_t i = 0; i < count; ++i) out.push_back(bytes_of(i % 150, i));
    for (const auto& one : out) sends.push_back(m.isend(behind(m), 1, one));
    fence(job, m);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<std::uint8_t> in(150);
      const status got = m.recv(before(m), 1, in);
      EXPECT_EQ(got.bytes, i % 150);
      in.resize(got.bytes);
      EXPECT(in == bytes_of(got.bytes, i));
    }
    EXPECT(wait_all(sends) == outcome::ok);
  }
}

CASE("a later message of another tag is received first") {
  mailbox m(job.ep(), {.eager = 100, .kept = 300, .offers = 1000});
  const std::uint32_t count = job.per_rank(500);
  std::vector<one_word> out(count);
  std::vector<request> sends;
  for (std::uint32_t i = 0; i < count; ++i) {
    out[i] = {i};
    sends.push_back(m.isend(behind(m), 1, out[i]));
  }
  const one_word last{7};
  sends.push_back(m.isend(behind(m), 2, last));
  one_word in{};
  EXPECT(m.recv(before(m), 2, in).ok());
  EXPECT_EQ(in[0], 7U);
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT(m.recv(before(m), 1, in).ok());
    EXPECT_EQ(in[0], i);
  }
  EXPECT(wait_all(sends) == outcome::ok);
}

CASE("many rounds return what was kept") {
  mailbox m(job.ep(), narrow);
  const std::uint32_t rounds = job.per_rank(500);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    one_word in{};
    const one_word out{i};
    EXPECT(m.sendrecv(behind(m), 1, out, before(m), 1, in).ok());
    EXPECT_EQ(in[0], i);
  }
}

CASE("offers are fetched while their receiver waits for something else") {
  mailbox m(job.ep());
  const auto out = bytes_of(50000, m.rank());
  std::vector<std::uint8_t> in(50000, bytes_of(50000, before(m)).back() ^ 0xffU);
  request receive = m.irecv(before(m), 1, in);
  request send = m.isend(behind(m), 1, out);
  // A wait of the endpoint's, which knows nothing of mailboxes.
  const std::uint8_t last = bytes_of(50000, before(m)).back();
  m.run([&] { job.ep().wait([&] { return in.back() == last; }); });
  EXPECT(wait(receive).ok());
  EXPECT(wait(send).ok());
  EXPECT(in == bytes_of(50000, before(m)));
}

}  // namespace
}  // namespace messages_test

// Mailboxes: several at a time, over teams, and their ends.
#include "job.hpp"

#include <array>
#include <memory>

namespace messages_test {
namespace {

using one_word = std::array<std::uint32_t, 1>;

CASE("messages of one mailbox do not reach another one") {
  mailbox a(job.ep()), b(job.ep());
  a.send(behind(a), 1, one_word{1});
  b.send(behind(b), 1, one_word{2});
  one_word in{};
  EXPECT(b.recv(any_source, any_tag, in).ok());
  EXPECT_EQ(in[0], 2U);
  EXPECT(a.recv(any_source, any_tag, in).ok());
  EXPECT_EQ(in[0], 1U);
}

CASE("a mailbox of a team has its numbers") {
  am::team all(job.ep());
  am::team part = all.split(static_cast<int>(all.rank() % 2), -static_cast<int>(all.rank()));
  mailbox m(part);
  EXPECT_EQ(m.rank(), part.rank());
  EXPECT_EQ(m.ranks(), part.ranks());
  one_word in{};
  const status got = m.sendrecv(behind(m), 1, one_word{all.rank()}, before(m), 1, in);
  EXPECT_EQ(got.source, before(m));
  EXPECT_EQ(in[0], part.job_rank(before(m)));
}

CASE("mailboxes are made and end many times") {
  am::team all(job.ep());
  const std::uint32_t rounds = job.per_rank(40);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    mailbox m(all);
    one_word in{};
    EXPECT(m.sendrecv(behind(m), 1, one_word{i}, before(m), 1, in).ok());
    EXPECT_EQ(in[0], i);
    if (i % 2 == 0) m.send(behind(m), 2, one_word{i});  // not received
  }
}

CASE("a mailbox takes nothing that was sent in an earlier one with its number") {
  am::team all(job.ep());
  const std::uint32_t rounds = job.per_rank(30);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    mailbox m(all);
    const one_word now{i}, late{1000 + i};
    std::vector<request> sends;
    for (rank_id to = 0; to < m.ranks(); ++to) sends.push_back(m.isend(to, 1, now));
    for (rank_id from = 0; from < m.ranks(); ++from) {
      one_word in{};
      EXPECT(m.recv(any_source, any_tag, in).ok());
      EXPECT(in[0] == i || in[0] == 1000 + i);
    }
    for (rank_id to = 0; to < m.ranks(); ++to) m.send(to, 1, late);
  }
}

CASE("a send to a mailbox that has ended there is told so") {
  am::team all(job.ep());
  auto m = std::make_unique<mailbox>(all);
  const auto out = bytes_of(50000, 1);
  if (m->ranks() > 1 && m->rank() == 0) {
    m.reset();
    job.ep().job_fence();
  } else {
    fence(job, *m);
    if (m->ranks() > 1) {
      EXPECT(m->send(0, 1, out).how == outcome::closed);
      EXPECT(m->ssend(0, 1, one_word{1}).how == outcome::closed);
    }
  }
  m.reset();
  all.barrier();
}

CASE("a mailbox that ends answers the offers that no receive has taken") {
  am::team all(job.ep());
  auto m = std::make_unique<mailbox>(all);
  const auto out = bytes_of(50000, 1);
  const one_word little{1};
  std::vector<request> sends;
  if (m->rank() != 0) sends.push_back(m->isend(0, 1, out));
  if (m->rank() != 0) sends.push_back(m->issend(0, 1, little));
  if (m->rank() == 0)
    for (rank_id i = 1; i < m->ranks(); ++i) (void)m->probe(i, 1);
  if (m->rank() == 0) m.reset();
  for (request& one : sends) EXPECT(wait(one).how == outcome::closed);
  sends.clear();
  m.reset();
  all.barrier();
}

CASE("requests may outlive their mailbox") {
  am::team all(job.ep());
  request receive;
  one_word in{};
  {
    mailbox m(all);
    receive = m.irecv(any_source, 1, in);
  }
  EXPECT(wait(receive).how == outcome::cancelled);
  all.barrier();
}

}  // namespace
}  // namespace messages_test

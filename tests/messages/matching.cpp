// Which message a receive takes: by source and tag, with wildcards, in MPI's order.
#include "job.hpp"

#include <array>

namespace messages_test {
namespace {

using one_word = std::array<std::uint32_t, 1>;

CASE("messages of one rank are received in the order of their sends") {
  mailbox m(job.ep());
  const std::uint32_t count = job.per_rank(2000);
  std::vector<one_word> out(count), in(count);
  std::vector<request> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    out[i] = {i};
    all.push_back(m.isend(behind(m), 4, out[i]));
    all.push_back(m.irecv(before(m), 4, in[i]));
  }
  EXPECT(wait_all(all) == outcome::ok);
  for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(in[i][0], i);
}

CASE("sizes do not change the order") {
  mailbox m(job.ep());
  std::vector<std::vector<std::uint8_t>> out, in;
  std::vector<request> all;
  for (std::size_t round = 0; round < 3; ++round)
    for (const std::size_t size : sizes) out.push_back(bytes_of(size, round + m.rank()));
  for (const auto& one : out) {
    in.emplace_back(one.size());
    all.push_back(m.isend(behind(m), 4, one));
  }
  for (auto& one : in) all.push_back(m.irecv(before(m), any_tag, one));
  EXPECT(wait_all(all) == outcome::ok);
  for (std::size_t i = 0; i < in.size(); ++i)
    EXPECT(in[i] == bytes_of(in[i].size(), i / std::size(sizes) + before(m)));
}

CASE("tags choose among messages that have come") {
  mailbox m(job.ep());
  constexpr std::int32_t tags = 20;
  std::vector<one_word> out(tags);
  std::vector<request> sends;
  for (std::int32_t tag = 0; tag < tags; ++tag) {
    out[static_cast<std::size_t>(tag)] = {static_cast<std::uint32_t>(100 + tag)};
    sends.push_back(m.isend(behind(m), tag, out[static_cast<std::size_t>(tag)]));
  }
  for (std::int32_t tag = tags; tag-- > 0;) {
    one_word in{};
    EXPECT_EQ(m.recv(before(m), tag, in).tag, tag);
    EXPECT_EQ(in[0], static_cast<std::uint32_t>(100 + tag));
  }
  EXPECT(wait_all(sends) == outcome::ok);
}

CASE("a receive of any source gets one message of each rank") {
  mailbox m(job.ep());
  if (m.rank() != 0) {
    const one_word out{m.rank()};
    m.send(0, 9, out);
    return;
  }
  std::vector<bool> seen(m.ranks());
  for (rank_id i = 1; i < m.ranks(); ++i) {
    one_word in{};
    const status got = m.recv(any_source, 9, in);
    EXPECT_EQ(got.source, in[0]);
    EXPECT(!seen[got.source]);
    seen[got.source] = true;
  }
}

CASE("of two receives that take a message the earlier one gets it") {
  mailbox m(job.ep());
  // The wildcard first, then the exact one; then the other way round; both kinds of wildcard.
  std::array<one_word, 6> in{};
  std::vector<request> receives;
  receives.push_back(m.irecv(any_source, 1, in[0]));
  receives.push_back(m.irecv(before(m), 1, in[1]));
  receives.push_back(m.irecv(before(m), 2, in[2]));
  receives.push_back(m.irecv(any_source, any_tag, in[3]));
  receives.push_back(m.irecv(before(m), any_tag, in[4]));
  receives.push_back(m.irecv(before(m), 2, in[5]));
  fence(job, m);
  const std::array<std::int32_t, 6> tags{1, 1, 2, 1, 1, 2};
  for (std::uint32_t i = 0; i < 6; ++i) m.send(behind(m), tags[i], one_word{i});
  EXPECT(wait_all(receives) == outcome::ok);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(in[i][0], i);
    EXPECT_EQ(receives[i].result().source, before(m));
    EXPECT_EQ(receives[i].result().tag, tags[i]);
  }
}

CASE("of messages that have come a wildcard takes the earliest") {
  mailbox m(job.ep());
  for (std::uint32_t i = 0; i < 5; ++i)
    m.send(m.rank(), static_cast<std::int32_t>(i % 2), one_word{i});
  fence(job, m);
  one_word in{};
  m.recv(m.rank(), 1, in);
  EXPECT_EQ(in[0], 1U);
  for (const std::uint32_t expected : {0U, 2U, 3U, 4U}) {
    EXPECT(m.recv(any_source, any_tag, in).ok());
    EXPECT_EQ(in[0], expected);
  }
}

CASE("a probe tells what comes, and leaves it") {
  mailbox m(job.ep());
  EXPECT(!m.iprobe(any_source, 77).has_value());
  for (const std::size_t size : sizes) {
    const auto out = bytes_of(size, m.rank());
    request send = m.isend(behind(m), 6, out);
    const status first = m.probe(any_source, any_tag);
    EXPECT_EQ(first.bytes, size);
    EXPECT_EQ(first.tag, 6);
    EXPECT_EQ(first.source, before(m));
    const auto again = m.iprobe(before(m), 6);
    EXPECT(again.has_value() && again->bytes == size);
    std::vector<std::uint8_t> in(first.bytes);
    EXPECT(m.recv(first.source, first.tag, in).ok());
    EXPECT(in == bytes_of(size, before(m)));
    EXPECT(wait(send).ok());
  }
}

CASE("all ranks send to all, with tags and sizes of a common plan") {
  mailbox m(job.ep());
  const std::uint32_t count = job.per_pair(200);
  const auto size_of = [](rank_id from, rank_id to, std::uint32_t i) {
    return (from * 131 + to * 17 + i * 977) % 12000;
  };
  std::vector<std::vector<std::uint8_t>> out, in;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (rank_id peer = 0; peer < m.ranks(); ++peer) {
      out.push_back(bytes_of(size_of(m.rank(), peer, i), i));
      in.emplace_back(size_of(peer, m.rank(), i));
    }
  }
  std::vector<request> all;
  for (std::uint32_t i = 0; i < count; ++i)
    for (rank_id peer = 0; peer < m.ranks(); ++peer)
      all.push_back(m.isend(peer, static_cast<std::int32_t>(i % 7), out[i * m.ranks() + peer]));
  for (std::uint32_t i = 0; i < count; ++i)
    for (rank_id peer = 0; peer < m.ranks(); ++peer)
      all.push_back(m.irecv(peer, static_cast<std::int32_t>(i % 7), in[i * m.ranks() + peer]));
  EXPECT(wait_all(all) == outcome::ok);
  for (std::uint32_t i = 0; i < count; ++i)
    for (rank_id peer = 0; peer < m.ranks(); ++peer) {
      const auto& one = in[i * m.ranks() + peer];
      EXPECT(one == bytes_of(one.size(), i));
    }
}

}  // namespace
}  // namespace messages_test

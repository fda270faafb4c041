// Sends and receives of every kind and size, and what their statuses say.
#include "job.hpp"

#include <array>

namespace messages_test {
namespace {

CASE("messages of any size go round, blocking") {
  mailbox m(job.ep());
  for (const std::size_t size : sizes) {
    const auto out = bytes_of(size, m.rank());
    std::vector<std::uint8_t> in(size);
    const status got = m.sendrecv(behind(m), 3, out, before(m), 3, in);
    EXPECT(got.ok());
    EXPECT_EQ(got.source, before(m));
    EXPECT_EQ(got.tag, 3);
    EXPECT_EQ(got.bytes, size);
    EXPECT(in == bytes_of(size, before(m)));
  }
}

CASE("receives begin before or after their messages come") {
  mailbox m(job.ep());
  for (const bool first : {true, false}) {
    for (const std::size_t size : sizes) {
      const auto out = bytes_of(size, m.rank());
      std::vector<std::uint8_t> in(size);
      request receive, send;
      if (first) receive = m.irecv(before(m), 1, in);
      fence(job, m);
      send = m.isend(behind(m), 1, out);
      fence(job, m);
      if (!first) receive = m.irecv(before(m), 1, in);
      EXPECT(wait(receive).ok());
      EXPECT(wait(send).ok());
      EXPECT_EQ(receive.result().bytes, size);
      EXPECT(in == bytes_of(size, before(m)));
    }
  }
}

CASE("a rank sends to itself") {
  mailbox m(job.ep());
  for (const std::size_t size : sizes) {
    const auto out = bytes_of(size, 5);
    std::vector<std::uint8_t> in(size);
    request send = m.isend(m.rank(), 2, out);
    EXPECT(m.recv(m.rank(), 2, in).ok());
    EXPECT(wait(send).ok());
    EXPECT(in == out);
  }
}

CASE("a message that is too long is truncated, and the next one is whole") {
  mailbox m(job.ep());
  for (const std::size_t size : sizes) {
    if (size == 0) continue;
    const auto out = bytes_of(size, m.rank());
    request first = m.isend(behind(m), 1, out);
    request second = m.isend(behind(m), 1, out);
    std::vector<std::uint8_t> little(size - 1), in(size);
    const status cut = m.recv(before(m), 1, little);
    EXPECT(cut.how == outcome::truncated);
    EXPECT_EQ(cut.bytes, size);
    EXPECT(m.recv(before(m), 1, in).ok());
    EXPECT(wait(first).ok());
    EXPECT(wait(second).ok());
    const auto whole = bytes_of(size, before(m));
    EXPECT(std::equal(little.begin(), little.end(), whole.begin()));
    EXPECT(in == whole);
  }
}

CASE("bytes that are no whole number of elements are a mismatch") {
  mailbox m(job.ep());
  for (const std::size_t size : {12UL, 20004UL}) {
    const auto out = bytes_of(size, 1);
    request send = m.isend(behind(m), 1, out);
    std::vector<double> in(size / sizeof(double) + 1);
    EXPECT(m.recv(before(m), 1, in).how == outcome::mismatched);
    EXPECT(wait(send).ok());
    request again = m.isend(behind(m), 1, out);
    std::vector<float> floats(size / sizeof(float) + 1);
    const status got = m.recv(before(m), 1, floats);
    EXPECT(got.ok());
    EXPECT_EQ(got.bytes, size);
    EXPECT(wait(again).ok());
  }
}

CASE("a synchronous send ends when its message is matched") {
  mailbox m(job.ep());
  for (const std::size_t size : sizes) {
    const auto out = bytes_of(size, m.rank());
    std::vector<std::uint8_t> in(size);
    request send = m.issend(behind(m), 1, out);
    for (int i = 0; i < 5; ++i) EXPECT(!test(send));
    fence(job, m);
    EXPECT(!test(send));
    fence(job, m);
    EXPECT(m.recv(before(m), 1, in).ok());
    EXPECT(wait(send).ok());
    EXPECT(in == bytes_of(size, before(m)));
  }
}

CASE("a ready send finds its receive") {
  mailbox m(job.ep());
  for (const std::size_t size : sizes) {
    std::vector<std::uint8_t> in(size);
    request receive = m.irecv(before(m), 1, in);
    fence(job, m);
    EXPECT(m.rsend(behind(m), 1, bytes_of(size, m.rank())).ok());
    EXPECT(wait(receive).ok());
    EXPECT(in == bytes_of(size, before(m)));
  }
}

CASE("arrays, spans and single values are sent") {
  mailbox m(job.ep());
  const std::array<int, 3> out{1, 2, static_cast<int>(m.rank())};
  std::array<int, 3> in{};
  m.sendrecv(behind(m), 0, out, before(m), 0, in);
  EXPECT_EQ(in[2], static_cast<int>(before(m)));
  const double value = 0.5 + m.rank();
  double got = 0;
  request send = m.isend(behind(m), 0, std::span(&value, 1));
  m.recv(before(m), 0, std::span(&got, 1));
  wait(send);
  EXPECT_EQ(got, 0.5 + before(m));
}

}  // namespace
}  // namespace messages_test

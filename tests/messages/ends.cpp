// How messages end where not all is well, and the bytes around their rooms.
#include "job.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>

namespace messages_test {
namespace {

using one_word = std::array<std::uint32_t, 1>;

CASE("a message that is too long writes nothing behind its room") {
  mailbox m(job.ep());
  constexpr std::size_t more = 64;
  for (const bool first : {true, false}) {
    for (const std::size_t size : sizes) {
      if (size == 0) continue;
      std::vector<std::uint8_t> in(size - 1 + more, 0xee);
      request receive;
      const auto out = bytes_of(size, m.rank());
      if (first) receive = m.irecv(before(m), 1, std::span(in).first(size - 1));
      fence(job, m);
      request send = m.isend(behind(m), 1, out);
      fence(job, m);
      if (!first) receive = m.irecv(before(m), 1, std::span(in).first(size - 1));
      EXPECT(wait(receive).how == outcome::truncated);
      EXPECT(wait(send).ok());
      EXPECT(std::equal(in.begin(), in.end() - more, bytes_of(size, before(m)).begin()));
      EXPECT(std::all_of(in.end() - more, in.end(), [](std::uint8_t one) { return one == 0xee; }));
    }
  }
}

CASE("more elements than there is room for are truncated") {
  mailbox m(job.ep());
  for (const std::size_t count : {2UL, 3000UL}) {
    const std::vector<double> out(count, 1.0);
    std::vector<double> in(count - 1);
    request send = m.isend(behind(m), 1, out);
    EXPECT(m.recv(before(m), 1, in).how == outcome::truncated);
    EXPECT(wait(send).ok());
    request again = m.isend(behind(m), 1, out);
    EXPECT(m.recv(before(m), 1, std::span<double>()).how == outcome::truncated);
    EXPECT(wait(again).ok());
  }
}

CASE("wait_all tells of the first that is not ok, whatever follows") {
  mailbox m(job.ep());
  std::array<std::uint32_t, 2> two{1, 2};
  std::array<one_word, 2> in{};
  for (int i = 0; i < 2; ++i) m.send(behind(m), i, two);
  m.send(behind(m), 2, one_word{3});
  std::vector<request> all;
  one_word never{};
  all.push_back(m.irecv(before(m), 0, in[0]));
  all.push_back(m.irecv(before(m), 9, never));
  all.push_back(m.irecv(before(m), 2, in[1]));
  EXPECT(cancel(all[1]));
  EXPECT(wait_all(all) == outcome::truncated);
  EXPECT(all[1].result().how == outcome::cancelled);
  EXPECT(all[2].result().ok());
  EXPECT(m.recv(before(m), 1, two).ok());
}

CASE("a send is not cancelled") {
  mailbox m(job.ep(), {.offers = 1});
  const auto out = bytes_of(50000, m.rank());
  std::vector<std::uint8_t> in(50000);
  // The first is offered, the second waits.
  std::array<request, 2> sends{m.isend(behind(m), 1, out), m.isend(behind(m), 1, out)};
  for (request& one : sends) EXPECT(!cancel(one));
  for (int i = 0; i < 2; ++i) EXPECT(m.recv(before(m), 1, in).ok());
  EXPECT(wait_all(sends) == outcome::ok);
}

CASE("a receive is cancelled after one of a long message has ended") {
  mailbox m(job.ep());
  const auto out = bytes_of(50000, m.rank());
  std::vector<std::uint8_t> in(50000);
  EXPECT(m.sendrecv(behind(m), 1, out, before(m), 1, in).ok());
  request receive = m.irecv(before(m), 1, in);
  EXPECT(cancel(receive));
  EXPECT(wait(receive).how == outcome::cancelled);
}

CASE("cancels race with long messages: each is received once, or cancelled") {
  mailbox m(job.ep());
  const std::uint32_t rounds = job.per_rank(200);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const auto out = bytes_of(20000, m.rank() + i);
    std::vector<std::uint8_t> in(20000);
    request receive = m.irecv(before(m), 1, in);
    request send = m.isend(behind(m), 1, out);
    for (std::uint32_t polls = 0; polls < i % 8; ++polls) (void)test(receive);
    (void)cancel(receive);
    if (!wait(receive).ok()) EXPECT(m.recv(before(m), 1, in).ok());
    EXPECT(in == bytes_of(20000, before(m) + i));
    EXPECT(wait(send).ok());
  }
}

CASE("a mailbox waits for its sends, and takes no messages meanwhile") {
  am::team all(job.ep());
  auto m = std::make_unique<mailbox>(all);
  const auto out = bytes_of(50000, 3);
  const one_word little{1};
  if (m->ranks() > 1 && m->rank() == 0) {
    request send = m->isend(1, 1, out);
    m.reset();
    EXPECT(wait(send).ok());
  } else if (m->rank() == 1) {
    // When the first one has ended the mailbox there is about to end, as its message has no
    // receive.
    for (int i = 0; i < 2; ++i) EXPECT(m->ssend(0, 1, little).how == outcome::closed);
    EXPECT(m->ssend(0, 1, out).how == outcome::closed);
    std::vector<std::uint8_t> in(out.size());
    EXPECT(m->recv(0, 1, in).ok());
    EXPECT(in == out);
  }
  m.reset();
  all.barrier();
}

CASE("a mailbox that ends answers its sends, more than core keeps for later") {
  am::team all(job.ep());
  auto m = std::make_unique<mailbox>(all);
  const auto count = static_cast<std::int32_t>(many_answers(job));
  const one_word little{1};
  if (m->rank() == 0) {
    // Where the last one of a rank has come all have.
    for (rank_id from = 1; from < m->ranks(); ++from) EXPECT(m->probe(from, count - 1).ok());
  } else {
    std::vector<request> sends;
    for (std::int32_t tag = 0; tag < count; ++tag) sends.push_back(m->issend(0, tag, little));
    for (request& one : sends) EXPECT(wait(one).how == outcome::closed);
  }
  m.reset();
  all.barrier();
}

#if !defined(NDEBUG)
CASE("a ready send without its receive is refused, and does not come") {
  mailbox m(job.ep());
  for (const std::size_t size : sizes) {
    const auto out = bytes_of(size, m.rank());
    EXPECT(m.rsend(behind(m), 1, out).how == outcome::refused);
    request begun = m.irsend(behind(m), 1, out);
    EXPECT(wait(begun).how == outcome::refused);
    fence(job, m);
    EXPECT(!m.iprobe(any_source, any_tag).has_value());
    fence(job, m);
  }
}
#endif

CASE("both ends of a message whose memory cannot be read learn of it") {
  mailbox m(job.ep());
  constexpr std::size_t bytes = 100000;
  void* const none = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(none != MAP_FAILED);
  const std::span out(static_cast<const std::uint8_t*>(none), bytes);
  std::vector<std::uint8_t> in(bytes);
  request send = m.isend(behind(m), 1, out);
  EXPECT(m.recv(before(m), 1, in).how == outcome::failed);
  EXPECT(wait(send).how == outcome::failed);
  // What follows is not concerned.
  const auto good = bytes_of(bytes, m.rank());
  request next = m.isend(behind(m), 1, good);
  EXPECT(m.recv(before(m), 1, in).ok());
  EXPECT(in == bytes_of(bytes, before(m)));
  EXPECT(wait(next).ok());
  ::munmap(none, bytes);
}

}  // namespace
}  // namespace messages_test

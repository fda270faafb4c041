// Every call that docs/messages.md shows, in a program that checks what it does.
#include <am/messages.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace am::messages;

void check(bool good, int line) {
  if (good) return;
  std::fprintf(stderr, "docs/messages.md: line %d of its program is wrong\n", line);
  std::_Exit(1);
}
#define AM_CHECK(...) check(__VA_ARGS__, __LINE__)

void ring(mailbox& m) {
  const am::rank_id next = (m.rank() + 1) % m.ranks();
  const am::rank_id before = (m.rank() + m.ranks() - 1) % m.ranks();
  std::vector<double> mine(100, m.rank());
  std::vector<double> theirs(100);

  request r = m.irecv(before, 0, theirs);
  m.send(next, 0, mine);
  const status got = wait(r);
  AM_CHECK(got.ok() && got.source == before && got.bytes == 100 * sizeof(double));
  AM_CHECK(theirs[99] == before);
}

void blocking(mailbox& m, am::rank_id to, am::rank_id from) {
  const std::vector<int> data{1, 2, 3};
  std::vector<int> room(10);
  m.send(to, 1, data);
  status s = m.recv(from, 1, room);
  AM_CHECK(s.bytes / sizeof(int) == 3);
  m.send(to, 7, data);
  s = m.recv(any_source, any_tag, room);
  AM_CHECK(s.tag == 7);
  m.sendrecv(to, 1, data, from, 1, room);
  m.send(to, 1, data);
  s = m.probe(from, any_tag);
  room.resize(s.bytes / sizeof(int));
  m.recv(s.source, s.tag, room);
  AM_CHECK(room == data);
}

void nonblocking(mailbox& m, am::rank_id to, am::rank_id from) {
  std::vector<int> data{1, 2, 3};
  std::vector<int> room(3);
  request receive = m.irecv(from, 2, room);
  request send = m.issend(to, 2, data);
  while (!test(receive)) continue;
  wait(send);
  AM_CHECK(room == data);

  std::vector<request> all;
  all.push_back(m.isend(to, 3, data));
  all.push_back(m.irecv(from, 3, room));
  const std::size_t first = wait_any(all);
  AM_CHECK(first < all.size());
  AM_CHECK(wait_all(all) == outcome::ok);

  request never = m.irecv(from, 4, room);
  AM_CHECK(cancel(never));
  AM_CHECK(wait(never).how == outcome::cancelled);
}

}  // namespace

int main(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  mailbox m(ep);
  const am::rank_id to = (m.rank() + 1) % m.ranks();
  const am::rank_id from = (m.rank() + m.ranks() - 1) % m.ranks();
  ring(m);
  blocking(m, to, from);
  nonblocking(m, to, from);
}

// Rank 2 of three is killed, and the others go on (AM_ON_PEER_DEATH=callback): what only it could
// end has ended as `dead`, in every mailbox; they still talk to each other. With `fetch` it is
// killed while its offer is fetched. Without a function for returned messages: none may be
// reported.
#include <am/messages.hpp>

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using namespace am::messages;

void check(bool good, int line) {
  if (good) return;
  std::fprintf(stderr, "deaths.cpp:%d is wrong\n", line);
  ::_exit(1);
}
#define AM_CHECK(...) check(__VA_ARGS__, __LINE__)

constexpr am::rank_id doomed = 2;
using one_word = std::array<std::uint32_t, 1>;

void die(mailbox& m, bool in_fetch) {
  const std::vector<std::uint8_t> out(in_fetch ? 64 << 20 : 100000, 1);
  m.send(0, 7, one_word{1});  // that no rank handles before the death, perhaps
  request first = m.isend(0, 1, out);
  request second = m.isend(1, 1, out);
  for (const am::rank_id from : {0U, 1U})
    if (!in_fetch) (void)m.recv(from, 99, std::span<std::uint8_t>());
  ::kill(::getpid(), SIGKILL);
}

void survive(mailbox& a, mailbox& b, bool in_fetch) {
  std::vector<std::uint8_t> in(64 << 20);
  std::array<one_word, 3> words{};
  const std::vector<std::uint8_t> out(100000);
  request fetched = a.irecv(doomed, 1, in);
  if (!in_fetch) {
    AM_CHECK(wait(fetched).ok());
    AM_CHECK(fetched.result().bytes == 100000);
  }
  // The wait is on the first mailbox; what ends is of the second.
  std::array<request, 2> two{a.irecv(any_source, 50, words[0]), b.irecv(doomed, 5, words[1])};
  request sent = a.isend(doomed, 6, out);
  if (!in_fetch) a.send(doomed, 99, std::span<const std::uint8_t>());
  AM_CHECK(wait_any(two) == 1);
  AM_CHECK(two[1].result().how == outcome::dead);
  const outcome end = wait(fetched).how;
  AM_CHECK(end == outcome::dead || end == outcome::ok);
  AM_CHECK(wait(sent).how == outcome::dead);
  // What had come before is still received.
  if (!in_fetch && a.rank() == 0) AM_CHECK(a.recv(doomed, 7, words[2]).ok() && words[2][0] == 1);
  AM_CHECK(a.probe(doomed, 77).how == outcome::dead);
  AM_CHECK(a.iprobe(doomed, 77)->how == outcome::dead);
  AM_CHECK(a.recv(doomed, 8, words[2]).how == outcome::dead);
  AM_CHECK(a.send(doomed, 8, words[2]).how == outcome::dead);

  // The receive of any source still waits, and takes what the other survivor sends.
  const am::rank_id other = 1 - a.rank();
  AM_CHECK(a.sendrecv(other, 51, words[2], other, 51, words[2]).ok());
  AM_CHECK(a.send(other, 50, one_word{9}).ok());
  AM_CHECK(wait(two[0]).ok());
  AM_CHECK(words[0][0] == 9);
}

}  // namespace

int main(int argc, char** argv) {
  ::alarm(15);
  am::endpoint ep = am::join(argc, argv);
  const bool in_fetch = argc > 1 && std::string_view(argv[1]) == "fetch";
  mailbox a(ep);
  mailbox b(ep);
  if (a.rank() == doomed)
    die(a, in_fetch);
  else
    survive(a, b, in_fetch);
}

// Five ranks of which rank 0 asks three who don't answer: rank 1 computes, rank 2 sits in its
// handler, rank 3 has stopped itself. Rank 4 waits for a word of rank 0, to which nobody owes it
// anything. All go on when somebody writes to the FIFO of the command line (rank 3 when it is told
// to): who opens it before sleeps until then, and never runs for a moment.
// Ranks 1 and 3 say by files beside it that they answer no more: requests that came while they were
// still in the fence would be answered there. With "greeted" as second argument rank 0 has asked
// each before, and been answered: over a network first contact takes both.
#include <am/am.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace {

const char* go = nullptr;
unsigned asked = 0;
unsigned answered = 0;

void await(const std::string& file) {
  while (::access(file.c_str(), F_OK) != 0) ::usleep(10'000);
}
void sit() { ::close(::open(go, O_RDONLY)); }

std::string deaf_file(unsigned rank) { return std::string(go) + ".deaf." + std::to_string(rank); }
void say_deaf(unsigned rank) { std::fclose(std::fopen(deaf_file(rank).c_str(), "w")); }

void answer(am::reply_token, am::word) { ++answered; }
void ask(am::request_token t, am::word, am::word) {
  ++asked;
  t.reply<answer>(1);
}
void ask_slow(am::request_token t, am::word, am::word) {
  ++asked;
  sit();
  t.reply<answer>(1);
}
void end(am::request_token) { ++asked; }

}  // namespace

AM_HANDLER(answer, "answer");
AM_HANDLER(ask, "ask");
AM_HANDLER(ask_slow, "ask slowly");
AM_HANDLER(end, "end");

namespace {

// Two requests go to rank 1, which has one credit: the second waits in the call.
void be_rank_0(am::endpoint& ep) {
  for (unsigned rank : {1, 3}) await(deaf_file(rank));
  ep.request<ask_slow>(2, 7, 8);
  ep.request<ask>(3, 5, 6);
  ep.request<ask>(1, 3, 4);
  ep.request<ask>(1, 3, 5);
  ep.wait([] { return answered == 4; });
  ep.request<end>(4);
}

void greet(am::endpoint& ep) {
  for (unsigned rank = 1; ep.rank() == 0 && rank < ep.ranks(); ++rank) ep.request<ask>(rank, 0, 0);
  ep.wait([&] { return ep.rank() == 0 ? answered == ep.ranks() - 1 : asked == 1; });
  asked = answered = 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  go = argv[1];
  am::endpoint ep = am::join(argc, argv);
  std::fprintf(stderr, "rank %u is %d\n", ep.rank(), static_cast<int>(::getpid()));
  if (argc > 2) greet(ep);
  ep.job_fence();
  if (ep.rank() == 1 || ep.rank() == 3) say_deaf(ep.rank());
  if (ep.rank() == 1) sit();
  if (ep.rank() == 3) ::raise(SIGSTOP);
  const unsigned expected[] = {0, 2, 1, 1, 1};
  if (ep.rank() == 0) be_rank_0(ep);
  ep.wait([&] { return asked == expected[ep.rank()]; });
  ep.close();
}

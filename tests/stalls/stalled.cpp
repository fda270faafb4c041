// Five ranks; rank 0 sends requests to three that do not answer: rank 1 computes, rank 2 blocks in
// its handler, rank 3 has stopped itself. Rank 4 waits for a message of rank 0, which has no
// request pending to it. All continue when the test writes to the FIFO of the command line (rank 3
// when it is continued): a rank that has opened it before sleeps until then, without running for a
// moment. Ranks 1 and 3 report by files beside it that they answer no more: requests that came
// while they were still in the fence would be answered there. With "greeted" as second argument
// rank 0 has exchanged a message with each before: over a network first contact takes a reply.
#include <am/am.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

namespace {

const char* fifo = nullptr;
unsigned requests = 0;
unsigned replies = 0;
constexpr std::byte greeting[7] = {};

void wait_for_file(const std::string& file) {
  while (::access(file.c_str(), F_OK) != 0) ::usleep(10'000);
}
void block_on_fifo() { ::close(::open(fifo, O_RDONLY)); }

std::string unresponsive_file(unsigned rank) {
  return std::string(fifo) + ".deaf." + std::to_string(rank);
}
void mark_unresponsive(unsigned rank) {
  std::fclose(std::fopen(unresponsive_file(rank).c_str(), "w"));
}

void on_reply(am::reply_token, am::word) { ++replies; }
void on_greeting(am::reply_token, std::span<const std::byte>) { ++replies; }
void on_request(am::request_token t, am::word, am::word) {
  ++requests;
  t.reply<on_reply>(1);
}
void greet(am::request_token t) {
  ++requests;
  t.reply<on_greeting>(std::span(greeting));
}
void on_slow_request(am::request_token t, am::word, am::word) {
  ++requests;
  block_on_fifo();
  t.reply<on_reply>(1);
}
void on_end(am::request_token) { ++requests; }

}  // namespace

AM_HANDLER(on_reply, "answer");
AM_HANDLER(on_request, "ask");
AM_HANDLER(on_slow_request, "ask slowly");
AM_HANDLER(on_end, "end");

namespace {

// Two requests go to rank 1, which has one credit: the second waits in the call.
void run_rank_0(am::endpoint& ep) {
  for (unsigned rank : {1, 3}) wait_for_file(unresponsive_file(rank));
  ep.request<on_slow_request>(2, 7, 8);
  ep.request<on_request>(3, 5, 6);
  ep.request<on_request>(1, 3, 4);
  ep.request<on_request>(1, 3, 5);
  ep.wait([] { return replies == 4; });
  ep.request<on_end>(4);
}

void exchange_first(am::endpoint& ep) {
  for (unsigned rank = 1; ep.rank() == 0 && rank < ep.ranks(); ++rank)
    ep.request<greet>(rank, am::reply_room(sizeof greeting));
  ep.wait([&] { return ep.rank() == 0 ? replies == ep.ranks() - 1 : requests == 1; });
  requests = replies = 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  fifo = argv[1];
  am::endpoint ep = am::join(argc, argv);
  std::fprintf(stderr, "rank %u is %d\n", ep.rank(), static_cast<int>(::getpid()));
  if (argc > 2) exchange_first(ep);
  ep.job_fence();
  if (ep.rank() == 1 || ep.rank() == 3) mark_unresponsive(ep.rank());
  if (ep.rank() == 1) block_on_fifo();
  if (ep.rank() == 3) ::raise(SIGSTOP);
  const unsigned expected[] = {0, 2, 1, 1, 1};
  if (ep.rank() == 0) run_rank_0(ep);
  ep.wait([&] { return requests == expected[ep.rank()]; });
  ep.close();
}

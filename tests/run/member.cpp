// A rank that does what it is told, for the tests of am-run:
//   wait             stays in the job until it is killed
//   again N          joins and leaves N times
//   twice-but R      joins and leaves twice, but rank R only once
//   but R            joins and leaves, but rank R ends without joining
//   exit R           rank R ends with status 0 in the middle; the others close
//   std-exit R       the same by exit, which runs what a program and its libraries have for it
//   static-exit R    the same where the endpoint is static: exit closes it
//   fork-and-die R   rank R kills itself; a child of it, which executes nothing, lives on
//   throw R          rank R leaves the block of its endpoint by an exception, and sleeps
//   abandon R        rank R gives up its endpoint and sleeps
//   kill R           rank R kills itself in the middle
//   join-too R       rank R joins a second time, and says why it cannot
//   store-to R       the others store what no socket holds into rank R's segment; R stops itself
//   store-again-to R the same when a small store has arrived
//   abort R S        rank R ends the job with status S
//   fail R S         all leave in good order; then rank R returns S
#include <am/am.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

unsigned stores = 0;
unsigned thanks = 0;

unsigned own_rank() {
  const char* text = std::getenv("AM_JOB_RANK");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 0;
}

void be_in_the_middle(am::endpoint& ep, const std::string& what, int status) {
  if (what == "exit") {
    std::fflush(stdout);
    ::_exit(0);
  }
  if (what == "std-exit") std::exit(0);
  if (what == "static-exit") {
    static am::endpoint lasting = std::move(ep);
    std::exit(0);
  }
  if (what == "fork-and-die") {
    if (::fork() == 0) {
      ::sleep(60);
      ::_exit(0);
    }
    ::raise(SIGKILL);
  }
  if (what == "throw") throw std::runtime_error(what);
  if (what == "abandon") {
    am_ep_abandon(ep.raw());
    ::sleep(60);
    ::_exit(0);
  }
  if (what == "kill") ::raise(SIGKILL);
  if (what == "join-too") {
    am_ep* second = nullptr;
    if (am_join(nullptr, nullptr, &second) != AM_OK) std::fprintf(stderr, "%s\n", am_error_text());
  }
  if (what == "abort") {
    std::printf("last words");
    ep.abort(status);
  }
}

void thanked(am::reply_token) { ++thanks; }
void stored(am::request_token token, void*, std::size_t) {
  ++stores;
  token.reply<thanked>();
}

}  // namespace

AM_HANDLER(thanked, "thanked");
AM_HANDLER(stored, "stored");

namespace {

void store_to(am::endpoint& ep, unsigned stopped, bool again) {
  const std::vector<std::byte> data(std::size_t{64} << 20);
  am::segment all = ep.all_segments(data.size());
  const auto store = [&](std::size_t bytes) {
    ep.store<stored>(stopped, all.address_at(stopped), std::span(data).first(bytes));
  };
  const auto is_stopped = ep.rank() == stopped;
  if (again && !is_stopped) {
    store(1000);
    ep.wait([] { return thanks == 1; });  // nothing is owed when the other stops
  }
  ep.job_fence();
  if (is_stopped) {
    ::raise(SIGSTOP);
    ep.wait([&] { return stores == (ep.ranks() - 1) * (again ? 2 : 1); });
  } else {
    store(data.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string what = argv[1];
  const unsigned number = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
  const int status = argc > 3 ? std::atoi(argv[3]) : 0;
  const bool chosen = own_rank() == number;

  if (what == "but" && chosen) return 0;
  const unsigned joins = what == "again" ? number : what == "twice-but" && !chosen ? 2 : 1;
  for (unsigned i = 0; i < joins; ++i) {
    try {
      am::endpoint ep = am::join(argc, argv);
      ep.job_fence();
      std::fprintf(stderr, "in %d\n", static_cast<int>(::getpid()));
      if (chosen) be_in_the_middle(ep, what, status);
      if (what.starts_with("store-")) store_to(ep, number, what == "store-again-to");
      if (what == "wait") ep.wait([] { return false; });
      ep.close();
    } catch (const std::runtime_error&) {
      ::sleep(60);
    }
  }
  return what == "fail" && chosen ? status : 0;
}

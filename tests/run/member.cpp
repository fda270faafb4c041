// A rank that does as its arguments say, for the tests of am-run:
//   wait             stays in the job until it is killed
//   again N          joins and leaves N times
//   twice-but R      all join and leave twice, but rank R only once
//   linger R         all join and leave; then rank R stays for half a second
//   but R            all join and leave, but rank R ends without joining
//   exit R           rank R ends with status 0 while in the job; the others close
//   std-exit R       the same by exit, which runs atexit handlers of the program and libraries
//   static-exit R    the same where the endpoint is static: exit closes it
//   fork-and-die R   rank R kills itself; a child of it, which executes nothing, remains
//   throw R          rank R leaves the block of its endpoint by an exception, and sleeps
//   abandon R        rank R abandons its endpoint and sleeps
//   kill R           rank R kills itself while in the job
//   join-too R       rank R joins a second time, and prints why it cannot
//   store-to R       the others store more than sockets hold into rank R's segment; R stops itself
//   store-again-to R the same after a small store has arrived
//   abort R S        rank R ends the job with status S
//   fail R S         all leave in order; then rank R returns S
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
unsigned replies = 0;

unsigned own_rank() {
  const char* text = std::getenv("AM_JOB_RANK");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 0;
}

void act_in_job(am::endpoint& ep, const std::string& what, int status) {
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

void on_reply(am::reply_token) { ++replies; }
void on_store(am::request_token token, void*, std::size_t) {
  ++stores;
  token.reply<on_reply>();
}

}  // namespace

AM_HANDLER(on_reply, "thanked");
AM_HANDLER(on_store, "stored");

namespace {

void store_to(am::endpoint& ep, unsigned stopped, bool again) {
  const std::vector<std::byte> data(std::size_t{64} << 20);
  am::segment all = ep.all_segments(data.size());
  const auto store = [&](std::size_t bytes) {
    ep.store<on_store>(stopped, all.address_at(stopped), std::span(data).first(bytes));
  };
  const auto is_stopped = ep.rank() == stopped;
  if (again && !is_stopped) {
    store(1000);
    ep.wait([] { return replies == 1; });  // no reply is pending when rank R stops
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
      if (chosen) act_in_job(ep, what, status);
      if (what.starts_with("store-")) store_to(ep, number, what == "store-again-to");
      if (what == "wait") ep.wait([] { return false; });
      ep.close();
    } catch (const std::runtime_error&) {
      ::sleep(60);
    }
  }
  if (what == "linger" && chosen) ::usleep(500'000);
  return what == "fail" && chosen ? status : 0;
}

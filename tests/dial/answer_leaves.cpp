// The answer of a handler leaves before the poll returns that has run it: rank 1 then computes
// until rank 0 has it, which rank 0 says by a file, and calls libam no more. If the answer waited
// for rank 1's next call, both would wait for ever.
//
// usage: am-run -n 2 test-answer-leaves FILE
#include <am/am.hpp>

#include <fcntl.h>
#include <unistd.h>

#include "../support/watchdog.hpp"

namespace {

unsigned asked = 0;
unsigned answered = 0;

void on_answer(am::reply_token) { ++answered; }
void on_question(am::request_token t) {
  ++asked;
  t.reply<on_answer>();
}

}  // namespace

int main(int argc, char** argv) {
  am_test::feed_watchdog(30, "an answer that leaves");
  am::endpoint ep = am::join(argc, argv);
  const char* const file = argv[1];
  constexpr unsigned questions = 20;
  for (unsigned i = 1; i <= questions; ++i) {
    if (ep.rank() == 0) {
      ep.request<on_question>(1);
      ep.wait([&] { return answered == i; });
      ::close(::open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    } else {
      while (asked != i) ep.poll();
      while (::unlink(file) != 0) {
      }
    }
  }
  ep.close();
}

// What ends the job, and the message then:
//   throw          a handler throws: its name and the text
//   throw-back     the same from the undeliverable handler
//   undeliverable  a message returns and there is no undeliverable handler: the message is named
//   abort STATUS   the status of the abort
// Run by expect_end.cmake, which checks exit status and message.
#include <am/am.hpp>

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace {

void thrower(am::request_token, int) { throw std::runtime_error("no more room in the attic"); }

void throw_back(am::reply_token, const am::returned&) { throw std::runtime_error("no cellar"); }

void only_here_fn(am_token, const am_word*, const void*, std::size_t) {}
am_handler only_here{only_here_fn, "fatal.only_here",     "fatal.only_here",
                     nullptr,      AM_HANDLER_UNNUMBERED, 0};

}  // namespace

AM_HANDLER(thrower, "fatal.thrower");

int main(int argc, char** argv) {
  ::alarm(60);
  const std::string_view what = argc > 1 ? argv[1] : "";
  am::endpoint ep = am::join(argc, argv);
  const am::rank_id to = ep.ranks() - 1;
  if (ep.rank() == 0 && what == "throw") ep.request<thrower>(to, 1);
  if (what == "throw-back") ep.on_undeliverable<throw_back>();
  if (what == "undeliverable" || what == "throw-back") {
    if (ep.rank() == 0) am_handler_register(&only_here);
    ep.update_handlers();
    if (ep.rank() == 0) am::detail::check(am_ep_request(ep.raw(), to, &only_here, 0xabc, 0, 0, 0));
  }
  if (ep.rank() == 0 && what == "abort" && argc > 2) ep.abort(std::atoi(argv[2]));
  // Never returns.
  ep.wait([] { return false; });
}

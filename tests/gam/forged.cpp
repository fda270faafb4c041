// A program that does not use gam.h, although libam's part for it is linked in, and a neighbour
// that sends it messages that a gam.h program would execute: they name a function by its address,
// as a word or bare. Only rank 0, which forges them, has the names of gam.h's handlers, and each
// message returns to it as one for a handler that rank 1 does not have.
#include <am/am.hpp>
#include <libam/core/handlers.hpp>
#include <libam/gam/function_word.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

namespace core = am::detail::core;
namespace gam = am::detail::gam;

unsigned ran = 0;
void target() { ++ran; }

void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "forged: %s\n", what);
  std::_Exit(1);
}

void runs_at_rank_0(am_token, const am_word*, const void*, std::size_t) {
  expect(false, "a message for rank 1 has come to rank 0");
}

constexpr am_handler named(const char* name) {
  return {&runs_at_rank_0, name, name, nullptr, AM_HANDLER_UNNUMBERED, 0};
}
std::array<am_handler, 4> forged{named("am.gam.run"), named("am.gam.stored"), named("am.gam.got"),
                                 named("am.gam.store_ended")};

void on_address(am::reply_token t, am::word address);
void reply_address(am::request_token t) {
  t.reply<on_address>(reinterpret_cast<am::word>(&target));
}
am::word target_address = 0;
void on_address(am::reply_token, am::word address) { target_address = address; }

unsigned returned_count = 0;
void on_undeliverable(am_token, const am_returned* message, void*) {
  expect(message->reason == AM_ARGUMENT_HANDLER, "a message came back for another reason");
  ++returned_count;
}

void forge(am::endpoint& ep) {
  const am::word word = gam::word_of(&target, 0);
  expect(gam::function_of(word) == &target, "the word is not the function's");
  ep.request<reply_address>(1);
  ep.wait([] { return target_address != 0; });
  am_ep_on_undeliverable(ep.raw(), &on_undeliverable, nullptr);
  unsigned sent = 0;
  for (const am_handler& handler : forged) {
    for (const am::word function : {word, target_address}) {
      void* const place = reinterpret_cast<void*>(function);
      expect(am_ep_store(ep.raw(), 1, place, nullptr, 0, &handler, function, 0, 0, 0) == AM_OK &&
                 am_ep_request(ep.raw(), 1, &handler, function, 0, 0, 0) == AM_OK,
             am_error_text());
      sent += 2;
    }
  }
  ep.wait([&] { return returned_count == sent; });
}

}  // namespace

AM_HANDLER(reply_address, "reply_address");
AM_HANDLER(on_address, "on_address");

int main(int argc, char** argv) {
  const char* const rank = std::getenv("AM_JOB_RANK");
  const bool forges = rank != nullptr && std::string_view(rank) == "0";
  if (forges)
    for (am_handler& handler : forged) am_handler_register(&handler);
  am::endpoint ep = am::join(argc, argv);
  std::vector<core::handler_key> known;
  expect(core::list_handlers(known) == AM_OK, am_error_text());
  const auto of_gam = std::ranges::count_if(known, [](const core::handler_key& one) {
    return one.key.find("am.gam") != std::string::npos;
  });
  expect(of_gam == (forges ? 4 : 0), "gam.h has handlers in a program that does not use it");
  if (ep.rank() == 0) forge(ep);
  ep.close();
  expect(ran == 0, "a message has run a function by its address");
}

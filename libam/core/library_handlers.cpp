#include <libam/core/library_handlers.hpp>

#include <libam/core/endpoint_handle.hpp>
#include <libam/core/handlers.hpp>

namespace am::detail::core {

namespace {

constexpr am_handler library_handler(am_handler_fn* fn, const char* name) {
  return {fn, name, name, nullptr, AM_HANDLER_UNNUMBERED, AM_HANDLER_OF_LIBRARY};
}

bulk& bulk_of(am_token token) noexcept { return endpoint_of(token.ep).bulk(); }

void on_piece(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  bulk_of(token).server.handle_piece(words, data, bytes);
}
void on_store(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  bulk_of(token).server.handle_store(token, words, data, bytes);
}
void on_get(am_token token, const am_word* words, const void*, std::size_t) {
  bulk_of(token).server.handle_get(words);
}
void on_got(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  bulk_of(token).caller.handle_got(words, data, bytes);
}
void on_get_failed(am_token token, const am_word* words, const void*, std::size_t) {
  bulk_of(token).caller.handle_get_failed(words);
}
void on_atomic(am_token token, const am_word* words, const void*, std::size_t) {
  bulk_of(token).server.handle_atomic(token, words);
}
void on_atomic_done(am_token token, const am_word* words, const void*, std::size_t) {
  bulk_of(token).caller.handle_atomic_end(words, AM_OK);
}
void on_atomic_failed(am_token token, const am_word* words, const void*, std::size_t) {
  bulk_of(token).caller.handle_atomic_end(words, AM_ARGUMENT_ADDRESS);
}
void on_no_answer(am_token, const am_word*, const void*, std::size_t) {}
// Only the reference is asked, which has clocks. Any time of another rank would be a wrong one.
void on_clock_ping(am_token token, const am_word* words, const void*, std::size_t) {
  endpoint& self = endpoint_of(token.ep);
  const host_clocks* const clocks = self.transports().clocks();
  if (clocks == nullptr) return;
  (void)self.dispatcher().reply(token.serial, &clock_pong_handler, words[0], clocks->shown(), 0, 0);
}
void on_clock_pong(am_token token, const am_word* words, const void*, std::size_t) {
  host_clocks* const clocks = endpoint_of(token.ep).transports().clocks();
  if (clocks != nullptr) clocks->take(words[0], words[1]);
}
void on_stored_answer(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  handle_stored_answer(endpoint_of(token.ep), token, words, data, bytes);
}

}  // namespace

am_handler piece_handler = library_handler(&on_piece, "am.piece");
am_handler store_handler = library_handler(&on_store, "am.store");
am_handler get_handler = library_handler(&on_get, "am.get");
am_handler got_handler = library_handler(&on_got, "am.got");
am_handler get_failed_handler = library_handler(&on_get_failed, "am.get_failed");
am_handler atomic_handler = library_handler(&on_atomic, "am.atomic");
am_handler atomic_done_handler = library_handler(&on_atomic_done, "am.atomic_done");
am_handler atomic_failed_handler = library_handler(&on_atomic_failed, "am.atomic_failed");
am_handler no_answer_handler = library_handler(&on_no_answer, "am.no_answer");
am_handler clock_ping_handler = library_handler(&on_clock_ping, "am.clock_ping");
am_handler clock_pong_handler = library_handler(&on_clock_pong, "am.clock_pong");
am_handler stored_answer_handler = library_handler(&on_stored_answer, "am.stored_answer");

void register_library_handlers() noexcept {
  static const bool once = [] {
    for (am_handler* handler :
         {&piece_handler, &store_handler, &get_handler, &got_handler, &get_failed_handler,
          &atomic_handler, &atomic_done_handler, &atomic_failed_handler, &no_answer_handler,
          &clock_ping_handler, &clock_pong_handler, &stored_answer_handler, &team_small_handler,
          &team_piece_handler})
      register_handler(handler);
    return true;
  }();
  (void)once;
}

}  // namespace am::detail::core

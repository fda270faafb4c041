#include <libam/core/convert.hpp>
#include <libam/core/team_handlers.hpp>

#include <am/detail/team_board.hpp>

namespace am::detail::core {

namespace {

// Not with the entries of am.hpp: these register themselves, by their place in this file.
constexpr am_handler named(am_handler_fn* fn, const char* name) {
  return {fn, name, own_label<team_piece>, nullptr, AM_HANDLER_UNNUMBERED, AM_HANDLER_OF_LIBRARY};
}

void on_team_piece(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  dispatcher& messages = of(token.ep).dispatch();
  if (messages.is_placed()) messages.accuse("a piece of a collective without its bytes", bytes, 0);
  entry_of<team_piece>::thunk(token, words, data, bytes);
}

}  // namespace

am_handler team_few_handler = named(&entry_of<team_arrived>::thunk, "am.team");
am_handler team_piece_handler = named(&on_team_piece, "am.team_piece");

}  // namespace am::detail::core

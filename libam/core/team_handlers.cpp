#include <libam/core/endpoint_handle.hpp>
#include <libam/core/library_handlers.hpp>

#include <am/detail/team_registry.hpp>

namespace am::detail::core {

namespace {

// Not the entries of am.hpp: those register themselves, by their place in this file.
constexpr am_handler library_handler(am_handler_fn* fn, const char* name) {
  constexpr const char* label = own_label<deliver_team_piece>;
  return {fn, name, label, nullptr, AM_HANDLER_UNNUMBERED, AM_HANDLER_OF_LIBRARY};
}

void on_team_piece(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  dispatcher& dispatcher = endpoint_of(token.ep).dispatcher();
  if (dispatcher.is_placed())
    dispatcher.report_violation("a piece of a collective without its bytes", bytes, 0);
  entry_of<deliver_team_piece>::thunk(token, words, data, bytes);
}

}  // namespace

am_handler team_small_handler = library_handler(&entry_of<deliver_team_small>::thunk, "am.team");
am_handler team_piece_handler = library_handler(&on_team_piece, "am.team_piece");

}  // namespace am::detail::core

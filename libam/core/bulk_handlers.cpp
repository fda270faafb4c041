#include <libam/core/bulk_handlers.hpp>
#include <libam/core/handlers.hpp>
#include <libam/core/team_handlers.hpp>

namespace am::detail::core {

namespace {

constexpr am_handler own(am_handler_fn* fn, const char* name) {
  return {fn, name, name, nullptr, AM_HANDLER_UNNUMBERED, AM_HANDLER_OF_LIBRARY};
}

}  // namespace

am_handler piece_handler = own(&endpoint::on_piece, "am.piece");
am_handler store_handler = own(&endpoint::on_store, "am.store");
am_handler get_handler = own(&endpoint::on_get, "am.get");
am_handler got_handler = own(&endpoint::on_got, "am.got");
am_handler get_failed_handler = own(&endpoint::on_get_failed, "am.get_failed");
am_handler atomic_handler = own(&endpoint::on_atomic, "am.atomic");
am_handler atomic_done_handler = own(&endpoint::on_atomic_done, "am.atomic_done");
am_handler atomic_failed_handler = own(&endpoint::on_atomic_failed, "am.atomic_failed");

void register_own_handlers() noexcept {
  static const bool once = [] {
    for (am_handler* handler : {&piece_handler, &store_handler, &get_handler, &got_handler,
                                &get_failed_handler, &atomic_handler, &atomic_done_handler,
                                &atomic_failed_handler, &team_few_handler, &team_piece_handler})
      register_handler(handler);
    return true;
  }();
  (void)once;
}

}  // namespace am::detail::core

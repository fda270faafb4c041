#include <libam/core/endpoint.hpp>

namespace am::detail::core {

// Sends before it looks: the message is on its way earlier. A message to this rank itself goes the
// other way round, for it must not run in its own send.
am_status endpoint::request_and_look(am_rank to, const am_handler* handler, am_word w0, am_word w1,
                                     am_word w2, am_word w3) {
  if (!acceptable(to, handler)) [[unlikely]]
    return requests_.refuse("request", to, handler);
  const bool to_itself = to == peers_.rank();
  if (to_itself) [[unlikely]]
    peers_.port(to).look();
  if (!peers_.port(to).take_credit()) [[unlikely]] {
    if (const am_status status = requests_.wait_for_credit(to); status != AM_OK) return status;
    peers_.port(to).credits.take();
  }
  seam::port& port = peers_.port(to);
  port.send(handler->id, w0, w1, w2, w3);
  if (!to_itself) [[likely]]
    port.start_run(port.look_in_turn());
  bulk_.send_behind_look();
  return AM_OK;
}

}  // namespace am::detail::core

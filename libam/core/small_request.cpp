#include <libam/core/endpoint.hpp>

namespace am::detail::core {

// Sends before it polls: the message leaves earlier. For a message to this rank itself it polls
// first, for that must not run in its own send.
am_status endpoint::request_and_poll(am_rank to, const am_handler* handler, am_word w0, am_word w1,
                                     am_word w2, am_word w3) {
  if (!is_valid_request(to, handler)) [[unlikely]]
    return requests_.refuse("request", to, handler);
  const bool to_itself = to == peers_.rank();
  if (to_itself) [[unlikely]]
    peers_.port(to).poll_once();
  if (!peers_.port(to).take_credit()) [[unlikely]] {
    if (const am_status status = requests_.wait_for_credit(to); status != AM_OK) return status;
    peers_.port(to).credits.take();
  }
  seam::port& port = peers_.port(to);
  port.send(handler->id, w0, w1, w2, w3);
  if (!to_itself) [[likely]]
    port.start_run(port.poll_after_send());
  bulk_.send_after_poll();
  return AM_OK;
}

}  // namespace am::detail::core

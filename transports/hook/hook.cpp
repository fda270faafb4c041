#include <transports/hook/hook.hpp>

namespace am::detail::hook {

std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::transport_context& context) {
  return std::make_unique<faulty_transport>(std::move(inner), context);
}

// ---- the port -----------------------------------------------------------------------------------

void faulty_port::maybe_hide_credits() noexcept {
  if (!injector_.simulates_shortage()) return;
  credits.hide_free();
  shortage_simulated_ = true;
}

bool faulty_port::simulates_no_room() noexcept {
  const bool simulated = injector_.simulates_shortage();
  shortage_simulated_ |= simulated;
  return simulated;
}

void faulty_port::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                       am_word w3) noexcept {
  injector_.inject();
  forwarding_port::send(handler, w0, w1, w2, w3);
  maybe_hide_credits();
}

void faulty_port::send_notice(std::uint32_t handler, const am_word* words, void* where,
                              std::size_t bytes) noexcept {
  injector_.inject();
  forwarding_port::send_notice(handler, words, where, bytes);
  maybe_hide_credits();
}

am_status faulty_port::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                   std::size_t bytes) noexcept {
  injector_.inject();
  return simulates_no_room() ? AM_AGAIN_PAYLOAD
                             : forwarding_port::send_medium(handler, words, data, bytes);
}

am_status faulty_port::send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                      std::size_t bytes, seam::answer_place room) noexcept {
  injector_.inject();
  return simulates_no_room() ? AM_AGAIN_PAYLOAD
                             : forwarding_port::send_with_room(handler, words, data, bytes, room);
}

seam::transfer_status faulty_port::put(seam::transfer& one) noexcept {
  injector_.inject();
  return simulates_no_room() ? seam::transfer_status::busy : forwarding_port::put(one);
}

void faulty_port::poll_once() noexcept {
  if (!injector_.delays_delivery()) forwarding_port::poll_once();
}

// Shows the hidden credits before the inner port counts the free ones.
void faulty_port::refresh_credits() noexcept {
  credits.show_hidden();
  forwarding_port::refresh_credits();
  maybe_hide_credits();
}

void faulty_port::fail_pending(seam::failure_sink& sink) noexcept {
  credits.show_hidden();
  forwarding_port::fail_pending(sink);
}

// ---- the transport ------------------------------------------------------------------------------

faulty_transport::faulty_transport(std::unique_ptr<seam::transport> inner,
                                   const seam::transport_context& context)
    : forwarding_transport(std::move(inner)), injector_(context) {}

seam::port* faulty_transport::connect(am_rank peer, std::span<const std::byte> address,
                                      std::string& why) {
  return ports_.wrap(forwarding_transport::connect(peer, address, why), injector_);
}

unsigned faulty_transport::poll(unsigned budget) noexcept {
  injector_.inject();
  return injector_.delays_delivery() ? 0 : forwarding_transport::poll(injector_.cut_budget(budget));
}

// Delayed messages are found by the inner transport. Hidden credits are shown here, since nothing
// would wake the rank for them.
std::chrono::nanoseconds faulty_transport::arm() noexcept {
  bool was_short = false;
  for (const auto& port : ports_) was_short |= port->end_shortage();
  const std::chrono::nanoseconds safe = forwarding_transport::arm();
  return was_short ? std::chrono::nanoseconds::zero() : safe;
}

}  // namespace am::detail::hook

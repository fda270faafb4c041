#include <transports/hook/hook.hpp>

namespace am::detail::hook {

std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::host& host) {
  return std::make_unique<faulty_transport>(std::move(inner), host);
}

// ---- the port -----------------------------------------------------------------------------------

void faulty_port::hide_credits_with_luck() noexcept {
  if (!mischief_.feigns_shortage()) return;
  credits.hide_free();
  lied_ = true;
}

bool faulty_port::feigns_no_room() noexcept {
  const bool feigned = mischief_.feigns_shortage();
  lied_ |= feigned;
  return feigned;
}

void faulty_port::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                       am_word w3) noexcept {
  mischief_.befall();
  forwarding_port::send(handler, w0, w1, w2, w3);
  hide_credits_with_luck();
}

void faulty_port::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                            std::size_t bytes) noexcept {
  mischief_.befall();
  forwarding_port::send_bulk(handler, words, where, bytes);
  hide_credits_with_luck();
}

am_status faulty_port::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                   std::size_t bytes) noexcept {
  mischief_.befall();
  return feigns_no_room() ? AM_AGAIN_PAYLOAD
                          : forwarding_port::send_medium(handler, words, data, bytes);
}

am_status faulty_port::send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                      std::size_t bytes, seam::answer_place room) noexcept {
  mischief_.befall();
  return feigns_no_room() ? AM_AGAIN_PAYLOAD
                          : forwarding_port::send_with_room(handler, words, data, bytes, room);
}

seam::reach faulty_port::put(seam::transfer& one) noexcept {
  mischief_.befall();
  return feigns_no_room() ? seam::reach::busy : forwarding_port::put(one);
}

void faulty_port::look() noexcept {
  if (!mischief_.holds_back()) forwarding_port::look();
}

// What was hidden comes to light before the inner port judges how many are free.
void faulty_port::refresh() noexcept {
  credits.show_hidden();
  forwarding_port::refresh();
  hide_credits_with_luck();
}

void faulty_port::give_up(seam::mourner& all) noexcept {
  credits.show_hidden();
  forwarding_port::give_up(all);
}

// ---- the transport ------------------------------------------------------------------------------

faulty_transport::faulty_transport(std::unique_ptr<seam::transport> inner, const seam::host& host)
    : forwarding_transport(std::move(inner)), mischief_(host) {
  ports_.reserve(host.ranks);
}

seam::port* faulty_transport::connect(am_rank peer, std::span<const std::byte> address,
                                      std::string& why) {
  seam::port* const made = forwarding_transport::connect(peer, address, why);
  if (made == nullptr) return nullptr;
  ports_.push_back(std::make_unique<faulty_port>(*made, mischief_));
  return ports_.back().get();
}

unsigned faulty_transport::poll(unsigned budget) noexcept {
  mischief_.befall();
  return mischief_.holds_back() ? 0 : forwarding_transport::poll(mischief_.cut(budget));
}

// What is held back is found by the inner transport. What was hidden comes to light here, for it
// would give no sign later.
std::chrono::nanoseconds faulty_transport::arm() noexcept {
  bool came_home = false;
  for (const auto& port : ports_) came_home |= port->relent();
  const std::chrono::nanoseconds safe = forwarding_transport::arm();
  return came_home ? std::chrono::nanoseconds::zero() : safe;
}

}  // namespace am::detail::hook

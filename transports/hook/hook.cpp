#include <transports/hook/hook.hpp>

namespace am::detail::hook {

std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::host& host) {
  return std::make_unique<faulty_transport>(std::move(inner), host);
}

// ---- the port -----------------------------------------------------------------------------------

faulty_port::faulty_port(seam::port& inner, faulty_transport& transport) noexcept
    : plain_port(inner.peer, inner.way_can()), inner_(inner), transport_(transport) {
  follow();
}

void faulty_port::follow() noexcept {
  credits = inner_.credits;
  if (short_) credits.hide_free();
}

void faulty_port::follow_with_luck() noexcept {
  short_ = transport_.mischief_.feigns_shortage();
  lied_ |= short_;
  follow();
}

// Core has taken its credit here; the message takes the real one.
void faulty_port::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                       am_word w3) noexcept {
  transport_.mischief_.befall();
  inner_.credits.take();
  inner_.send(handler, w0, w1, w2, w3);
  follow_with_luck();
}

void faulty_port::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                            std::size_t bytes) noexcept {
  transport_.mischief_.befall();
  inner_.credits.take();
  inner_.send_bulk(handler, words, where, bytes);
  follow_with_luck();
}

// A credit that core has taken in vain it puts back here itself.
am_status faulty_port::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                   std::size_t bytes) noexcept {
  transport_.mischief_.befall();
  if (transport_.mischief_.feigns_shortage()) {
    lied_ = true;
    return AM_AGAIN_PAYLOAD;
  }
  inner_.credits.take();
  const am_status status = inner_.send_medium(handler, words, data, bytes);
  if (status != AM_OK) inner_.credits.put_back();
  follow();
  if (status != AM_OK) credits.take();
  return status;
}

seam::reach faulty_port::put(seam::transfer& one) noexcept {
  transport_.mischief_.befall();
  if (transport_.mischief_.feigns_shortage()) {
    lied_ = true;
    return seam::reach::busy;
  }
  inner_.credits.take();
  const seam::reach reached = inner_.put(one);
  const bool begun = reached == seam::reach::done || reached == seam::reach::under_way;
  if (!begun) inner_.credits.put_back();
  follow();
  if (!begun) credits.take();
  return reached;
}

void faulty_port::look() noexcept {
  if (transport_.mischief_.holds_back()) return;
  inner_.look();
  transport_.follow_all();
}

void faulty_port::refresh() noexcept {
  inner_.refresh();
  follow_with_luck();
}

void faulty_port::give_up(seam::mourner& all) noexcept {
  short_ = false;
  inner_.give_up(all);
  follow();
}

// ---- the transport ------------------------------------------------------------------------------

faulty_transport::faulty_transport(std::unique_ptr<seam::transport> inner, const seam::host& host)
    : inner_(std::move(inner)), mischief_(host) {
  ports_.reserve(host.ranks);
}

seam::port* faulty_transport::connect(am_rank peer, std::span<const std::byte> address,
                                      std::string& why) {
  seam::port* const made = inner_->connect(peer, address, why);
  if (made == nullptr) return nullptr;
  ports_.push_back(std::make_unique<faulty_port>(*made, *this));
  return ports_.back().get();
}

unsigned faulty_transport::poll(unsigned budget) noexcept {
  mischief_.befall();
  if (mischief_.holds_back()) return 0;
  const unsigned taken = inner_->poll(mischief_.cut(budget));
  follow_all();
  return taken;
}

unsigned faulty_transport::last_words(am_rank peer, unsigned budget) noexcept {
  const unsigned taken = inner_->last_words(peer, budget);
  follow_all();
  return taken;
}

// What is held back is found by the inner transport. What was shown as used up comes home here, for
// it would give no sign later.
std::chrono::nanoseconds faulty_transport::arm() noexcept {
  bool came_home = false;
  for (const auto& port : ports_) came_home |= port->relent();
  const std::chrono::nanoseconds safe = inner_->arm();
  follow_all();
  return came_home ? std::chrono::nanoseconds::zero() : safe;
}

// Ports that are made meanwhile begin alike.
void faulty_transport::follow_all() noexcept {
  for (const auto& port : ports_) port->follow();
}

}  // namespace am::detail::hook

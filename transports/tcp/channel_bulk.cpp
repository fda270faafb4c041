// Bulk data: shipments go out in pieces, each behind a frame that announces it, and pieces of the
// peer's land where they belong. Neither is copied on the way but by the system.
#include <transports/tcp/channel.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace am::detail::tcp {

// ---- out ----------------------------------------------------------------------------------------

bool channel::ship(seam::shipment& one) noexcept {
  if (shipping_ != nullptr) return false;
  shipping_ = &one;
  shipped_ = 0;
  ship_on();
  return true;
}

// A piece is promised when the one before has gone, so that other messages wait for one at most;
// the notice when all have gone, for then it is known that they could be read. Where nothing goes
// any more the notice is one of the requests that nobody answers.
void channel::ship_on() noexcept {
  while (shipping_ != nullptr) {
    if (state_ == state::lost || deaf_) return end_shipment();
    if (output_.borrows()) return;
    if (shipped_ == shipping_->bytes || is_torn()) return end_shipment();
    load_piece();
    if (state_ == state::open && !waiting_) send_on({});
  }
}

void channel::load_piece() noexcept {
  const std::span<const std::byte> all(static_cast<const std::byte*>(shipping_->data),
                                       shipping_->bytes);
  const std::size_t bytes =
      std::min<std::size_t>(all.size() - shipped_, wire::most_following_bytes);
  wire::message piece{};
  piece.kind = wire::message_kind::piece;
  piece.where = reinterpret_cast<std::uintptr_t>(shipping_->where) + shipped_;
  piece.bytes = bytes;
  packer_.add(piece);
  output_.keep(frame_to_send());
  output_.borrow(all.subspan(shipped_, bytes));
  shipped_ += bytes;
}

void channel::end_shipment() noexcept {
  seam::shipment& one = *std::exchange(shipping_, nullptr);
  keeper_.has_news();
  if (state_ != state::lost && !deaf_ && is_torn()) {
    credits.put_back();
    one.at = seam::shipment::stage::unreadable;
    return;
  }
  one.at = seam::shipment::stage::gone;
  send_bulk(one.handler, one.words, one.where, one.bytes);
}

// ---- in -----------------------------------------------------------------------------------------

// True: some of the piece has come, or all of it was there already.
bool channel::land() noexcept {
  if (input_.bytes().empty()) return land_from_line();
  input_.drop(landing_.copy(input_.bytes()));
  more_ = !input_.bytes().empty();
  return true;
}

bool channel::land_from_line() noexcept {
  if (drained_ || state_ != state::open) return false;
  const std::span<std::byte> place = landing_.room();
  if (landing_.misses() && !place.empty()) {
    const ssize_t skipped = line_.skip(place.size());
    if (!has_come(skipped)) return false;
    landing_.moved(static_cast<std::size_t>(skipped));
    return true;
  }
  std::array<std::byte, wire::payload_step> zeros;
  const std::span<std::byte> behind = input_.room().first(landing_.next_frame_bytes());
  const std::array<iovec, 3> parts{iovec{place.data(), place.size()},
                                   iovec{zeros.data(), landing_.zeros()},
                                   iovec{behind.data(), behind.size()}};
  constexpr foreign_parts first = 0b1;
  const ssize_t got = line_.receive(parts, first);
  if (got < 0 && errno == EFAULT) {
    landing_.miss();
    return true;
  }
  if (!has_come(got)) return false;
  const auto count = static_cast<std::size_t>(got);
  drained_ = count < landing_.due() + behind.size();
  input_.came(count - landing_.moved(count));
  more_ = !input_.bytes().empty();
  return true;
}

}  // namespace am::detail::tcp

// Bulk data: what is put goes out in pieces, each behind a frame that announces it, and pieces of
// the peer's land where they belong. Neither is copied on the way but by the system.
#include <transports/tcp/channel.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace am::detail::tcp {

// ---- out ----------------------------------------------------------------------------------------

// Few bytes go in messages, which share their frame, and its call of the system, with others.
seam::reach channel::put(seam::transfer& one) noexcept {
  if (one.bytes <= wire::most_put_in_messages || one.at_once || state_ == state::lost)
    return seam::reach::no_way;
  puts_.push(one);
  if (&puts_.front() == &one) put_on();
  return seam::reach::under_way;
}

// A piece is promised when the one before has gone, so that other messages wait for one at most;
// the notice when all have gone, for then it is known that they could be read. Where nothing goes
// any more puts stay until they are given up.
void channel::put_on() noexcept {
  while (!puts_.empty() && state_ != state::lost && !deaf_) {
    if (output_.borrows()) return;
    if (promised_ == puts_.front().bytes || is_torn()) {
      end_put();
      continue;
    }
    load_piece();
    if (state_ == state::open && !waiting_) send_on({});
  }
}

void channel::load_piece() noexcept {
  const seam::transfer& one = puts_.front();
  const std::span<const std::byte> all(static_cast<const std::byte*>(one.here), one.bytes);
  const std::size_t bytes =
      std::min<std::size_t>(all.size() - promised_, wire::most_following_bytes);
  frames_out_.piece(reinterpret_cast<std::uintptr_t>(one.there) + promised_, bytes);
  output_.keep(frame_to_send());
  output_.borrow(all.subspan(promised_, bytes));
  promised_ += bytes;
}

// The notice may bring the next put on its way, so this one is told of before.
void channel::end_put() noexcept {
  const bool torn = is_torn();
  seam::transfer& one = puts_.pop();
  const seam::transfer it = one;
  promised_ = 0;
  peers_.has_news();
  arrivals_.transferred(one, torn ? seam::reach::bad_here : seam::reach::done);
  if (!torn) send_bulk(it.handler, it.words, it.there, it.bytes);
}

// Their notices have not been sent.
void channel::give_up(seam::mourner& all) noexcept {
  while (!puts_.empty()) arrivals_.transferred(puts_.pop(), seam::reach::no_way);
  end();
  frames_out_.give_up(all, peer, has_been_open_);
}

// ---- in -----------------------------------------------------------------------------------------

// True: some of the piece has come, or all of it was there already.
bool channel::land() noexcept {
  if (!input_.bytes().empty())
    land_from_input();
  else if (!land_from_line())
    return false;
  if (landing_.misses()) frames_in_.has_missed(landing_.begin());
  return true;
}

void channel::land_from_input() noexcept {
  input_.drop(landing_.copy(input_.bytes()));
  more_ = !input_.bytes().empty();
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

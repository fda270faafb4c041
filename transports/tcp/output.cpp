#include <libam/wire/frame.hpp>
#include <transports/tcp/output.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace am::detail::tcp {

namespace {
constexpr std::array<std::byte, std::size_t{16} * 1024> some_zeros{};
constexpr std::size_t most_gone = std::size_t{1} << 20;
constexpr foreign_parts second = 0b10;

iovec part(std::span<const std::byte> bytes) noexcept {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

// How many of `bytes` are the next of `sent`; those are taken off it.
std::size_t share(std::size_t& sent, std::size_t bytes) noexcept {
  const std::size_t mine = std::min(sent, bytes);
  sent -= mine;
  return mine;
}

bool passes(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == ENOMEM;
}
}  // namespace

// What has gone is dropped when it is much and more than what stays, so that little is moved.
void output::keep(std::span<const std::byte> frame) {
  if (gone_ > std::max(bytes(), most_gone)) {
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(gone_));
    gone_ = 0;
  }
  kept_.insert(kept_.end(), frame.begin(), frame.end());
}

void output::borrow(std::span<const std::byte> bulk) noexcept {
  before_bulk_ = bytes();
  bulk_ = bulk;
  zeros_ = wire::gap_before(wire::payload_step, bulk.size());
  torn_ = false;
}

// The bytes were promised: so many have to go.
void output::tear() noexcept {
  zeros_ += bulk_.size();
  bulk_ = {};
  torn_ = true;
}

int output::send(line& to, std::span<const std::byte> frame) {
  while (!empty() || !frame.empty() || to.holds()) {
    const ssize_t sent = send_once(to, frame);
    if (sent >= 0) {
      forget(static_cast<std::size_t>(sent), frame);
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EFAULT && !bulk_.empty()) {
      tear();
      continue;
    }
    keep(frame);
    return passes(error) ? 0 : error;
  }
  return 0;
}

ssize_t output::send_once(line& to, std::span<const std::byte> frame) const noexcept {
  const std::span<const std::byte> kept = std::span(kept_).subspan(gone_);
  if (kept.empty() && !borrows()) return to.send(std::array{part(frame)});
  if (!borrows()) return to.send(std::array{part(kept), part(frame)});
  const std::size_t zeros = std::min(zeros_, some_zeros.size());
  const std::array parts{part(kept.first(before_bulk_)), part(bulk_),
                         part(std::span(some_zeros).first(zeros)), part(kept.subspan(before_bulk_)),
                         part(frame)};
  return to.send(std::span(parts).first(zeros == zeros_ ? 5 : 3), second);
}

void output::forget(std::size_t sent, std::span<const std::byte>& frame) noexcept {
  if (borrows()) {
    const std::size_t before = share(sent, before_bulk_);
    gone_ += before;
    before_bulk_ -= before;
    bulk_ = bulk_.subspan(share(sent, bulk_.size()));
    zeros_ -= share(sent, zeros_);
  }
  gone_ += share(sent, bytes());
  frame = frame.subspan(sent);
  if (bytes() != 0) return;
  kept_.clear();
  gone_ = 0;
}

}  // namespace am::detail::tcp

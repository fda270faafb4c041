// Bytes on their way into a connection: what the system does not take at once is kept, in order.
// Bulk data is not copied: it goes from where the program has it, at its place among the frames.
#pragma once

#include <transports/tcp/line.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace am::detail::tcp {

class output {
 public:
  // Keeps `frame` behind all that waits already.
  void keep(std::span<const std::byte> frame);
  // Behind what is kept come these bytes, which stay where they are as long as this borrows, and
  // zeros up to the next step. One at a time.
  void borrow(std::span<const std::byte> bulk) noexcept;
  [[nodiscard]] bool borrows() const noexcept { return !bulk_.empty() || zeros_ != 0; }
  // Of what was borrowed last not all is mapped here: zeros have gone in its place.
  [[nodiscard]] bool is_torn() const noexcept { return torn_; }

  // Of what is kept.
  [[nodiscard]] std::size_t bytes() const noexcept { return kept_.size() - gone_; }
  [[nodiscard]] bool empty() const noexcept { return bytes() == 0 && !borrows(); }

  // Sends what it can, first what waits, then `frame`, and keeps the rest. The error that ended the
  // connection, or 0.
  int send(line& to, std::span<const std::byte> frame);

 private:
  ssize_t send_once(line& to, std::span<const std::byte> frame) const noexcept;
  void forget(std::size_t sent, std::span<const std::byte>& frame) noexcept;
  void tear() noexcept;

  std::vector<std::byte> kept_;
  std::size_t gone_ = 0;             // of its beginning
  std::size_t before_bulk_ = 0;      // of what is left of it, while this borrows
  std::span<const std::byte> bulk_;  // what is left of what is borrowed
  std::size_t zeros_ = 0;            // and behind it
  bool torn_ = false;
};

}  // namespace am::detail::tcp

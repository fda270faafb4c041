// Bytes on their way into a connection: what the system does not take at once is kept, in order.
// Bulk data need not be copied: it goes from where the program has it, at its place among the
// frames, and one call takes many of both.
#pragma once

#include <transports/tcp/line.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace am::detail::tcp {

class output {
 public:
  // Keeps a copy behind all that waits already.
  void keep(std::span<const std::byte> frame);
  // Behind bulk data of which a copy is kept: zeros up to the next step.
  void fill_up(std::size_t behind);

  // Behind all that waits come these bytes, which stay where they are until they have gone, and
  // zeros up to the next step. One may borrow where there is room for another loan, and so little
  // is lent that other messages need not wait long.
  void borrow(std::span<const std::byte> bulk) noexcept;
  [[nodiscard]] bool may_borrow() const noexcept {
    return loans_ < most_loans && borrowed_ < most_borrowed;
  }
  [[nodiscard]] bool borrows() const noexcept { return loans_ != 0; }
  // So many of those borrowed have not gone; the oldest goes first.
  [[nodiscard]] std::size_t loans() const noexcept { return loans_; }
  // Since it last borrowed: something was not mapped here, and zeros have gone in its place.
  [[nodiscard]] bool is_torn() const noexcept { return torn_; }

  // Of what is kept, and with what is borrowed.
  [[nodiscard]] std::size_t kept() const noexcept { return kept_.size() - gone_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return kept() + borrowed_; }
  [[nodiscard]] bool empty() const noexcept { return kept() == 0 && !borrows(); }

  // Sends what it can, first what waits, then `frame`, and keeps the rest. The error that ended the
  // connection, or 0.
  int send(line& to, std::span<const std::byte> frame);

 private:
  struct loan {
    std::size_t before;               // of what is kept, behind the loan before
    std::span<const std::byte> bulk;  // what is left of it
    std::size_t zeros;                // and behind it
  };
  static constexpr std::size_t most_loans = 32;
  static constexpr std::size_t most_borrowed = std::size_t{1} << 20;
  class parts;

  [[nodiscard]] loan& nth(std::size_t i) noexcept { return ring_[(first_ + i) % most_loans]; }
  // With `one_loan`, up to the end of the first one.
  ssize_t send_once(line& to, std::span<const std::byte> frame, bool one_loan) noexcept;
  void collect(parts& into, std::span<const std::byte> frame, bool one_loan) noexcept;
  void forget(std::size_t sent, std::span<const std::byte>& frame) noexcept;
  void tear() noexcept;

  std::vector<std::byte> kept_;
  std::size_t gone_ = 0;          // of its beginning
  std::size_t before_loans_ = 0;  // what is left of it before the last of the loans
  std::size_t borrowed_ = 0;      // bytes and zeros of all loans
  std::size_t first_ = 0;
  std::size_t loans_ = 0;
  std::array<loan, most_loans> ring_;
  bool torn_ = false;
};

}  // namespace am::detail::tcp

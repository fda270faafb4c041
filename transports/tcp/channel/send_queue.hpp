// Bytes that wait for a connection: what the system does not take at once is kept, in order. Bulk
// data need not be copied: it is sent from where the program has it, at its place among the frames,
// and one call sends many of both.
#pragma once

#include <transports/tcp/link/tcp_link.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace am::detail::tcp {

class send_queue {
 public:
  // Appends a copy.
  void append_copy(std::span<const std::byte> frame);
  // Behind bulk data that was copied: zeros up to the next step.
  void append_padding(std::size_t behind);

  // Appends these bytes, which must stay where they are until they are sent, and zeros up to the
  // next step. There must be room: blocks are limited in number and bytes, so that other messages
  // need not wait long.
  void append_zero_copy(std::span<const std::byte> bulk) noexcept;
  [[nodiscard]] bool has_zero_copy_room() const noexcept {
    return zero_copy_count_ < max_zero_copy_blocks && zero_copy_bytes_ < max_zero_copy_bytes;
  }
  [[nodiscard]] bool has_zero_copy() const noexcept { return zero_copy_count_ != 0; }
  // The number of blocks that are not sent completely; the oldest goes first.
  [[nodiscard]] std::size_t zero_copy_count() const noexcept { return zero_copy_count_; }
  // Since the last block was appended: some memory was not mapped, and zeros were sent instead.
  [[nodiscard]] bool had_unmapped() const noexcept { return had_unmapped_; }

  // Copied bytes that wait, and all bytes that wait.
  [[nodiscard]] std::size_t copied_bytes() const noexcept { return copied_.size() - sent_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return copied_bytes() + zero_copy_bytes_; }
  [[nodiscard]] bool empty() const noexcept { return copied_bytes() == 0 && !has_zero_copy(); }

  // Sends what it can, first what waits, then `frame`, and keeps the rest. Returns the error that
  // ended the connection, or 0.
  int send(tcp_link& to, std::span<const std::byte> frame);

 private:
  struct zero_copy_block {
    std::size_t before;               // copied bytes between the block before and this one
    std::span<const std::byte> bulk;  // not sent yet
    std::size_t zeros;                // behind `bulk`
  };
  static constexpr std::size_t max_zero_copy_blocks = 32;
  static constexpr std::size_t max_zero_copy_bytes = std::size_t{1} << 20;
  class gather_list;

  [[nodiscard]] zero_copy_block& nth(std::size_t i) noexcept {
    return ring_[(first_ + i) % max_zero_copy_blocks];
  }
  // With `first_block_only`, nothing behind the first block.
  ssize_t send_once(tcp_link& to, std::span<const std::byte> frame, bool first_block_only) noexcept;
  void collect(gather_list& into, std::span<const std::byte> frame, bool first_block_only) noexcept;
  void remove_sent(std::size_t sent, std::span<const std::byte>& frame) noexcept;
  void replace_with_zeros() noexcept;

  std::vector<std::byte> copied_;
  std::size_t sent_ = 0;                      // bytes of copied_ that are sent
  std::size_t copied_before_last_block_ = 0;  // copied bytes that wait before the last block
  std::size_t zero_copy_bytes_ = 0;           // bytes and zeros of all blocks
  std::size_t first_ = 0;
  std::size_t zero_copy_count_ = 0;
  std::array<zero_copy_block, max_zero_copy_blocks> ring_;
  bool had_unmapped_ = false;
};

}  // namespace am::detail::tcp

// Bytes out of a socket. Frames are parsed in place: the buffer is aligned as frames are, and so is
// every frame in it.
#pragma once

#include <libam/wire/frame.hpp>

#include <cassert>
#include <cstddef>
#include <cstring>
#include <span>

namespace am::detail::tcp {

class input_buffer {
 public:
  // Throws std::bad_alloc.
  explicit input_buffer(wire::payload_sizes payloads)
      : most_frame_(wire::most_frame_bytes(payloads)),
        capacity_(2 * most_frame_),
        buffer_(wire::make_aligned_buffer(capacity_)) {}

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {buffer_.get() + begin_, end_ - begin_};
  }
  // The first `count` of them are no longer needed.
  void drop(std::size_t count) noexcept {
    begin_ += count;
    assert(begin_ <= end_);
  }

  // Where more may be written: enough to complete the largest frame.
  std::span<std::byte> space() noexcept {
    if (begin_ != 0 && capacity_ - begin_ < most_frame_) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (begin_ == end_) begin_ = end_ = 0;
    return {buffer_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t count) noexcept { end_ += count; }

 private:
  const std::size_t most_frame_;
  const std::size_t capacity_;
  wire::aligned_buffer buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace am::detail::tcp

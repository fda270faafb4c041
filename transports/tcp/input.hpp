// Bytes out of a socket, where frames are taken apart in their place. It is aligned as frames are,
// and so is every frame in it.
#pragma once

#include <libam/wire/frame.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace am::detail::tcp {

class input {
 public:
  // Throws std::bad_alloc.
  explicit input(wire::payload_sizes payloads)
      : most_frame_(wire::most_frame_bytes(payloads)),
        room_bytes_(std::max(least_room_bytes, 2 * most_frame_)),
        room_(new (std::align_val_t{wire::payload_step}) std::byte[room_bytes_]) {}

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {room_.get() + begin_, end_ - begin_};
  }
  // The first `count` of them are done with.
  void drop(std::size_t count) noexcept {
    begin_ += count;
    assert(begin_ <= end_);
  }

  // Where more may be written: at least enough for the largest frame to be complete.
  std::span<std::byte> room() noexcept {
    if (begin_ != 0 && room_bytes_ - begin_ < most_frame_) {
      std::memmove(room_.get(), room_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (begin_ == end_) begin_ = end_ = 0;
    return {room_.get() + end_, room_bytes_ - end_};
  }
  void came(std::size_t count) noexcept { end_ += count; }

 private:
  static constexpr std::size_t least_room_bytes = std::size_t{128} * 1024;

  struct release {
    void operator()(std::byte* bytes) const noexcept {
      ::operator delete[](bytes, std::align_val_t{wire::payload_step});
    }
  };

  const std::size_t most_frame_;
  const std::size_t room_bytes_;
  std::unique_ptr<std::byte[], release> room_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace am::detail::tcp

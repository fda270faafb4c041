// Bytes out of a socket, where frames are taken apart in their place. It is aligned as frames are,
// and so is every frame in it.
#pragma once

#include <libam/wire/frame.hpp>

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
  input() : room_(new (std::align_val_t{wire::payload_step}) std::byte[room_bytes]) {}

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
    if (begin_ != 0 && room_bytes - begin_ < wire::most_frame_bytes) {
      std::memmove(room_.get(), room_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (begin_ == end_) begin_ = end_ = 0;
    return {room_.get() + end_, room_bytes - end_};
  }
  void came(std::size_t count) noexcept { end_ += count; }

 private:
  static constexpr std::size_t room_bytes = std::size_t{128} * 1024;
  static_assert(room_bytes >= 2 * wire::most_frame_bytes);

  struct release {
    void operator()(std::byte* bytes) const noexcept {
      ::operator delete[](bytes, std::align_val_t{wire::payload_step});
    }
  };

  std::unique_ptr<std::byte[], release> room_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace am::detail::tcp

// A piece of bulk data that is coming in, and where it goes: bytes of the stream that belong in the
// program's memory, then zeros. Nobody has looked at the address that its sender names: where
// nothing is mapped the bytes are passed over, and the notice that tells of them comes back.
#pragma once

#include <libam/base/checked_copy.hpp>
#include <libam/wire/frame.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace am::detail::tcp {

class landing {
 public:
  // `frame_bytes`: of the frame that announces it.
  void expect(std::uint64_t where, std::uint64_t bytes, std::size_t frame_bytes) noexcept {
    begin_ = where;
    next_ = where;
    bytes_ = bytes;
    left_ = bytes;
    zeros_ = wire::gap_before(wire::payload_step, bytes);
    next_frame_bytes_ = frame_bytes;
    misses_ = false;
  }

  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }  // of the whole piece
  // Bytes of the stream that still belong to it, zeros and all.
  [[nodiscard]] std::size_t due() const noexcept { return left_ + zeros_; }
  // Null at its end: the system refuses a call with a bad address in it, whatever its length.
  [[nodiscard]] std::span<std::byte> room() const noexcept {
    return {left_ != 0 ? reinterpret_cast<std::byte*>(next_) : nullptr, left_};
  }
  [[nodiscard]] std::size_t zeros() const noexcept { return zeros_; }
  // Behind it there comes most likely a frame as long as the one that announced it. Who reads no
  // further gets what follows that frame in its place, too.
  [[nodiscard]] std::size_t next_frame_bytes() const noexcept { return next_frame_bytes_; }

  // The next bytes of the stream, already in their place or passed over; says how many were its.
  std::size_t moved(std::size_t bytes) noexcept {
    const std::size_t data = std::min(bytes, left_);
    const std::size_t zeros = std::min(bytes - data, zeros_);
    next_ += data;
    left_ -= data;
    zeros_ -= zeros;
    return data + zeros;
  }
  // The same for bytes that stand elsewhere. `known`: the place is mapped.
  std::size_t copy(std::span<const std::byte> from, bool known) noexcept {
    const std::size_t data = std::min(from.size(), left_);
    if (data != 0 && !misses_) {
      if (known)
        std::memcpy(room().data(), from.data(), data);
      else if (base::copy_checked(room().data(), from.data(), data) != base::copied::all)
        miss();
    }
    return moved(from.size());
  }

  // Nothing is mapped there.
  void miss() noexcept { misses_ = true; }
  [[nodiscard]] bool misses() const noexcept { return misses_; }

 private:
  std::uint64_t begin_ = 0;
  std::uint64_t next_ = 0;
  std::size_t bytes_ = 0;
  std::size_t left_ = 0;
  std::size_t zeros_ = 0;
  std::size_t next_frame_bytes_ = 0;
  bool misses_ = false;
};

}  // namespace am::detail::tcp

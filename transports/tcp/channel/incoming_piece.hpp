// A piece of bulk data that is coming in, and its place: bytes of the stream that belong in the
// program's memory, then zeros. The address comes from the sender and is unchecked: where nothing
// is mapped the bytes are skipped, and the notice behind them is returned.
#pragma once

#include <libam/base/checked_copy.hpp>
#include <libam/wire/frame.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace am::detail::tcp {

class incoming_piece {
 public:
  // `frame_bytes`: of the frame that announces it.
  void start(std::uint64_t where, std::uint64_t bytes, std::size_t frame_bytes) noexcept {
    begin_ = where;
    next_ = where;
    bytes_ = bytes;
    left_ = bytes;
    zeros_ = wire::padding_before(wire::payload_step, bytes);
    next_frame_bytes_ = frame_bytes;
    unmapped_ = false;
  }

  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }  // of the whole piece
  // Bytes of the stream that still belong to it, with the zeros.
  [[nodiscard]] std::size_t remaining() const noexcept { return left_ + zeros_; }
  // Null at its end: the system refuses a call with a bad address in it, whatever its length.
  [[nodiscard]] std::span<std::byte> destination() const noexcept {
    return {left_ != 0 ? reinterpret_cast<std::byte*>(next_) : nullptr, left_};
  }
  [[nodiscard]] std::size_t zeros() const noexcept { return zeros_; }
  // Behind it follows most likely a frame as long as the one that announced it. A read that ends
  // with that frame leaves a piece behind it in the socket, from where it goes to its place.
  [[nodiscard]] std::size_t next_frame_bytes() const noexcept { return next_frame_bytes_; }

  // The next bytes of the stream are in their place already, or skipped. Returns how many belonged
  // to this piece.
  std::size_t advance(std::size_t bytes) noexcept {
    const std::size_t data = std::min(bytes, left_);
    const std::size_t zeros = std::min(bytes - data, zeros_);
    next_ += data;
    left_ -= data;
    zeros_ -= zeros;
    return data + zeros;
  }
  // The same for bytes that are elsewhere, which it copies. `known_mapped`: the place is mapped.
  std::size_t copy(std::span<const std::byte> from, bool known_mapped) noexcept {
    const std::size_t data = std::min(from.size(), left_);
    if (data != 0 && !unmapped_) {
      if (known_mapped)
        std::memcpy(destination().data(), from.data(), data);
      else if (base::copy_checked(destination().data(), from.data(), data) !=
               base::copy_status::all)
        mark_unmapped();
    }
    return advance(from.size());
  }

  // Nothing is mapped there.
  void mark_unmapped() noexcept { unmapped_ = true; }
  [[nodiscard]] bool is_unmapped() const noexcept { return unmapped_; }

 private:
  std::uint64_t begin_ = 0;
  std::uint64_t next_ = 0;
  std::size_t bytes_ = 0;
  std::size_t left_ = 0;
  std::size_t zeros_ = 0;
  std::size_t next_frame_bytes_ = 0;
  bool unmapped_ = false;
};

}  // namespace am::detail::tcp

// The network cards of a dialled job, one at each end, made of time alone: when a message leaves
// its sender, and when it may be received. Times are ticks of one clock, and nothing waits here.
//
//   at the sender, for each fragment:
//     leave = max(now, free);      free = leave + gap + byte * bytes
//   at the receiver:
//     due   = max(arrival, free);  free = due + gap
//
// A longer message is several fragments; it is due when the last one is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace am::detail::dial {

using ticks = std::uint64_t;

// How a message is cut.
struct fragment_sizes {
  std::size_t most;       // bytes of a fragment
  std::size_t threshold;  // the time of a byte is that of fragments with more bytes

  [[nodiscard]] std::size_t count(std::size_t bytes) const noexcept {
    return bytes == 0 ? 1 : (bytes - 1) / most + 1;
  }
};

class sender_card {
 public:
  // `byte`: in ticks, which may be less than one.
  sender_card(ticks gap, double byte, fragment_sizes sizes) noexcept
      : gap_(gap), byte_(byte), sizes_(sizes) {}

  // A message is handed to the card: returns when its last fragment leaves. `more`: so much longer
  // is the gap behind it.
  ticks send(ticks now, std::size_t bytes, ticks more = 0) noexcept {
    const std::size_t before = sizes_.count(bytes) - 1;
    const ticks leave = std::max(now, free_) + before * (gap_ + time_of(sizes_.most));
    free_ = leave + gap_ + time_of(bytes - before * sizes_.most) + more;
    return leave;
  }

  [[nodiscard]] fragment_sizes sizes() const noexcept { return sizes_; }

 private:
  [[nodiscard]] ticks time_of(std::size_t bytes) const noexcept {
    return bytes > sizes_.threshold ? static_cast<ticks>(byte_ * static_cast<double>(bytes)) : 0;
  }

  const ticks gap_;
  const double byte_;
  const fragment_sizes sizes_;
  ticks free_ = 0;  // from when on the next fragment may leave
};

class receiver_card {
 public:
  explicit receiver_card(ticks gap) noexcept : gap_(gap) {}

  // When a message may be received whose last fragment arrives at `arrival`.
  [[nodiscard]] ticks due(ticks arrival, std::size_t fragments) const noexcept {
    return std::max(arrival, free_ + (fragments - 1) * gap_);
  }
  void receive(ticks due, ticks more = 0) noexcept { free_ = due + gap_ + more; }
  // From when on the next one may be received.
  [[nodiscard]] ticks free_at() const noexcept { return free_; }

 private:
  const ticks gap_;
  ticks free_ = 0;
};

}  // namespace am::detail::dial

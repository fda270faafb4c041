// Numbers the flushes of one endpoint, to know which of them proves that a put has arrived. A put
// that begins while one is under way needs the next.
#pragma once

#include <cstdint>

namespace am::detail::ucx {

class flush_counter {
 public:
  // A put begins. Returns the number of the flush that proves its arrival.
  std::uint64_t count_put() noexcept {
    put_since_flush_ = true;
    return begun_ + 1;
  }
  void begin() noexcept {
    put_since_flush_ = false;
    ++begun_;
  }
  void end() noexcept { done_ = begun_; }

  [[nodiscard]] bool has_ended(std::uint64_t number) const noexcept { return number <= done_; }
  [[nodiscard]] bool is_under_way() const noexcept { return begun_ != done_; }
  // A put has begun since the last flush did.
  [[nodiscard]] bool is_due() const noexcept { return put_since_flush_; }

 private:
  bool put_since_flush_ = false;
  std::uint64_t begun_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace am::detail::ucx

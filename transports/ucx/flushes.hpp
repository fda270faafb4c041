// The flushes of one endpoint, counted: which of them tells that a put has arrived. A put that
// begins while one is under way needs the next.
#pragma once

#include <cstdint>

namespace am::detail::ucx {

class flushes {
 public:
  // A put begins: the number of the flush that tells of it.
  std::uint64_t has_put() noexcept {
    has_put_ = true;
    return begun_ + 1;
  }
  void begin() noexcept {
    has_put_ = false;
    ++begun_;
  }
  void end() noexcept { done_ = begun_; }

  [[nodiscard]] bool has_ended(std::uint64_t number) const noexcept { return number <= done_; }
  [[nodiscard]] bool is_under_way() const noexcept { return begun_ != done_; }
  // A put has begun since the last one did.
  [[nodiscard]] bool is_due() const noexcept { return has_put_; }

 private:
  bool has_put_ = false;
  std::uint64_t begun_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace am::detail::ucx

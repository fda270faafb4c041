// A run: credits set aside for the next requests to one peer, which are sent without a poll. Such a
// request writes this one counter.
//
//   none --start(n)--> n left --take()--> n-1 left --> ... --> none
//                       any left --end()--> none, and what was left is free again
//
// Core starts one of the length that port::poll_after_send has returned, and ends it with the next
// credit that it takes outside of it. The transport ends it when it reports a pause to its peer.
#pragma once

#include <cstdint>
#include <utility>

namespace am::detail::seam {

class request_run {
 public:
  [[nodiscard]] std::uint32_t left() const noexcept { return left_; }
  // False: there is no run.
  [[nodiscard]] bool take() noexcept {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  void start(std::uint32_t length) noexcept { left_ = length; }
  // Returns what was left.
  std::uint32_t end() noexcept { return std::exchange(left_, 0); }

 private:
  std::uint32_t left_ = 0;
};

}  // namespace am::detail::seam

// The growth of the two rings of a channel. The requester decides on it, and its credits follow the
// number of slots.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <transports/shm/layout.hpp>

#include <algorithm>

namespace am::detail::shm {

class growth {
 public:
  // `window`: W. The rings are those from `from` to `to`.
  growth(am_rank from, am_rank to, std::uint32_t window, const layout& layout,
         base::shared_memory& memory) noexcept
      : window_(window), from_(from), to_(to), layout_(layout), memory_(memory) {}

  // A slot is free when its request's credit has returned, except two: that of a handler which
  // still runs after its reply, and, while the ring can grow, the slot of kind `grow`.
  [[nodiscard]] std::uint32_t credits_for(std::uint32_t slots) const noexcept {
    const std::uint32_t kept = slots < layout_.most_slots() ? 2 : 1;
    return std::min(window_, slots - kept);
  }

  [[nodiscard]] bool possible() const noexcept { return possible_ && !under_way_; }
  // From rings of `slots` slots with `limit` credits. True: the new halves exist, and the caller
  // grows the ring of requests.
  [[nodiscard]] bool begin(std::uint32_t slots, std::uint32_t limit) noexcept;

  // The ring of requests has grown, that of replies not yet.
  [[nodiscard]] bool under_way() const noexcept { return under_way_; }
  void end() noexcept { under_way_ = false; }

 private:
  [[nodiscard]] bool reserve_halves(std::uint32_t slots) noexcept;

  bool possible_ = true;
  bool under_way_ = false;
  const std::uint32_t window_;  // W
  const am_rank from_;
  const am_rank to_;
  const layout layout_;
  base::shared_memory& memory_;
};

}  // namespace am::detail::shm

// What goes wrong and when: AM_FAULT's faults as they fall to this rank.
#pragma once

#include <libam/seam/fault_dice.hpp>

#include <chrono>

namespace am::detail::hook {

class mischief {
 public:
  explicit mischief(const seam::host& host) : host_(host), faults_(host.settings.fault) {}

  // With every call that sends or polls: this rank may sleep for a while, or die.
  void befall() noexcept;

  // Nothing is delivered now, by what this rank can see.
  [[nodiscard]] bool holds_back() noexcept;
  // Of a budget, what is delivered at most.
  [[nodiscard]] unsigned cut(unsigned budget) noexcept;
  // There is neither a credit nor room, it seems.
  [[nodiscard]] bool feigns_shortage() noexcept;

 private:
  using clock = std::chrono::steady_clock;

  base::dice& the_dice() noexcept;
  void draw_fate() noexcept;

  const seam::host host_;
  const base::faults faults_;
  bool drawn_ = false;
  base::dice dice_{0};
  std::uint64_t calls_to_live_ = 0;  // 0: for ever
  clock::time_point held_until_{};
};

}  // namespace am::detail::hook

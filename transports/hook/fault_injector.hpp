// Decides at random which faults of AM_FAULT happen to this rank, and when.
#pragma once

#include <libam/seam/fault_random.hpp>

#include <chrono>

namespace am::detail::hook {

class fault_injector {
 public:
  explicit fault_injector(const seam::transport_context& context)
      : context_(context), faults_(context.settings.fault) {}

  // Before every call that sends or polls: this rank may sleep for a while, or die.
  void inject() noexcept;

  // Does this poll deliver nothing?
  [[nodiscard]] bool delays_delivery() noexcept;
  // The part of the budget that this poll uses.
  [[nodiscard]] unsigned cut_budget(unsigned budget) noexcept;
  // Does this send seem to lack a credit or room?
  [[nodiscard]] bool simulates_shortage() noexcept;

 private:
  using clock = std::chrono::steady_clock;

  base::random_source& rank_random() noexcept;
  void draw_faults() noexcept;

  const seam::transport_context context_;
  const base::faults faults_;
  bool drawn_ = false;
  base::random_source random_{0};
  std::uint64_t calls_to_live_ = 0;  // 0: for ever
  clock::time_point held_until_{};
};

}  // namespace am::detail::hook

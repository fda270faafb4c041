// Delivering what has come.
#include <libam/core/endpoint.hpp>

namespace am::detail::core {

am_status endpoint::poll(unsigned budget, unsigned* ran) {
  if (!in_order()) [[unlikely]]
    return refuse("poll");
  const unsigned delivered = deliver(budget == 0 ? burst : budget);
  if (ran != nullptr) *ran = delivered;
  if (posts_.has_some() && !inside_) [[unlikely]]
    run_posted();
  return AM_OK;
}

// The one that used up the budget comes last next time.
unsigned endpoint::deliver(unsigned budget) noexcept {
  unsigned delivered = 0;
  if (mourning_) [[unlikely]]
    delivered = mourn(budget);
  if (bulk_.has_work()) [[unlikely]] {
    pay_owed_bytes();
    delivered += run_completions(budget - delivered);
  }
  for (std::size_t i = 0; i < polled_.size() && delivered < budget; ++i) {
    if (turn_ >= polled_.size()) turn_ = 0;
    delivered += polled_[turn_++]->poll(budget - delivered);
  }
  ++polls_;
  if (delivered != 0) ++full_polls_;
  return delivered;
}

// One turn of a call that is blocked, which runs no posted functions.
void endpoint::wait_a_turn(blocked& here) noexcept {
  bool sleeps = false;
  if (deliver(burst) != 0)
    idle_.something_came();
  else
    sleeps = idle_.nothing_came();
  if (here.has_turned_long() || sleeps) look_for_stalls(here);
  if (sleeps) sleep(std::chrono::nanoseconds::max(), -1, false);
}

}  // namespace am::detail::core

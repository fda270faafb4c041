// Delivering what has come.
#include <libam/core/endpoint.hpp>

namespace am::detail::core {

namespace {
constexpr std::uint64_t polls_to_ask = 1024;
}

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
    if (!bulk_.abandoned.empty()) free_abandoned();
    delivered += run_completions(budget - delivered);
  }
  for (std::size_t i = 0; i < polled_.size() && delivered < budget; ++i) {
    if (turn_ >= polled_.size()) turn_ = 0;
    delivered += polled_[turn_++]->poll(budget - delivered);
  }
  ++polls_;
  // With the credits and the room that this poll has brought, which a caller in a flood would take.
  if (bulk_.has_waiting()) [[unlikely]]
    send_what_waits();
  if (delivered != 0) ++full_polls_;
  return delivered;
}

// One turn of a call that is blocked, which runs no posted functions.
void endpoint::wait_a_turn(blocked& here, const char* call, const am_rank* peer) noexcept {
  if (deliver(burst) != 0) {
    idle_.something_came();
    // Others may go on talking while the one that is waited for does not.
    if (polls_ % polls_to_ask == 0) look_around(here, call, peer);
    return;
  }
  const idle::next next = idle_.nothing_came();
  if (next == idle::next::look) return;
  look_around(here, call, peer);
  if (next == idle::next::sleep) sleep(std::chrono::nanoseconds::max(), -1, false);
}

}  // namespace am::detail::core

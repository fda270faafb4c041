// Delivering what has come.
#include <libam/core/progress.hpp>

namespace am::detail::core {

progress::progress(membership& in, dispatcher& messages, transport_set& transports,
                   poll_clock& clock, failures& deaths, bulk& data, stall_watch& stalls,
                   idle policy)
    : in_(in),
      dispatcher_(messages),
      transports_(transports),
      clock_(clock),
      failures_(deaths),
      bulk_(data),
      stalls_(stalls),
      idle_(policy) {}

am_status progress::poll(unsigned budget, unsigned* ran) {
  if (!dispatcher_.in_order()) [[unlikely]]
    return dispatcher_.refuse("poll");
  const unsigned delivered = deliver(budget == 0 ? burst : budget);
  if (ran != nullptr) *ran = delivered;
  if (posts_.has_some() && !inside_) [[unlikely]]
    run_posted();
  return AM_OK;
}

// The one that used up the budget comes last next time.
unsigned progress::deliver(unsigned budget) noexcept {
  unsigned delivered = 0;
  if (failures_.has_some()) [[unlikely]]
    delivered = failures_.mourn(budget);
  if (bulk_.has_work()) [[unlikely]]
    delivered += bulk_.work(budget - delivered);
  const std::vector<seam::transport*>& polled = transports_.polled();
  for (std::size_t i = 0; i < polled.size() && delivered < budget; ++i) {
    if (turn_ >= polled.size()) turn_ = 0;
    delivered += polled[turn_++]->poll(budget - delivered);
  }
  clock_.polled();
  // With the credits and the room that this poll has brought, which a caller in a flood would take.
  if (bulk_.has_waiting()) [[unlikely]]
    bulk_.send_what_waits();
  if (delivered != 0) ++full_polls_;
  return delivered;
}

}  // namespace am::detail::core

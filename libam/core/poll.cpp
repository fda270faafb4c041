// Delivers what has come.
#include <libam/core/progress.hpp>

namespace am::detail::core {

progress::progress(membership& membership, dispatcher& dispatcher, transport_set& transports,
                   poll_clock& clock, failures& deaths, bulk& bulk, stall_detector& stalls,
                   idle_policy policy)
    : membership_(membership),
      dispatcher_(dispatcher),
      transports_(transports),
      clock_(clock),
      failures_(deaths),
      bulk_(bulk),
      stalls_(stalls),
      idle_(policy) {}

am_status progress::poll(unsigned budget, unsigned* ran) {
  if (!dispatcher_.may_call()) [[unlikely]]
    return dispatcher_.refuse("poll");
  const unsigned delivered = deliver(budget == 0 ? default_budget : budget);
  if (ran != nullptr) *ran = delivered;
  if (posts_.has_pending() && !posts_held_) [[unlikely]]
    run_posted();
  return AM_OK;
}

// The transport that used up the budget is polled last next time.
unsigned progress::deliver(unsigned budget) noexcept {
  unsigned delivered = 0;
  if (failures_.has_pending()) [[unlikely]]
    delivered = failures_.retire_failed_peers(budget);
  if (bulk_.has_work()) [[unlikely]]
    delivered += bulk_.work(budget - delivered);
  const std::vector<seam::transport*>& polled = transports_.polled();
  for (std::size_t i = 0; i < polled.size() && delivered < budget; ++i) {
    if (next_transport_ >= polled.size()) next_transport_ = 0;
    delivered += polled[next_transport_++]->poll(budget - delivered);
  }
  clock_.count_poll();
  // Uses the credits and room that this poll has brought, before a caller in a flood takes them.
  if (bulk_.has_waiting()) [[unlikely]]
    bulk_.send_waiting();
  if (delivered != 0) ++full_polls_;
  return delivered;
}

}  // namespace am::detail::core

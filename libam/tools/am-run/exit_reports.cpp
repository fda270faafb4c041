// Deaths that the others outlive: the exit flag of the dead rank is set in the memory of the job,
// and every other rank's attention word, which it polls anyway. A rank that sleeps is woken.
#include <libam/base/shared_word.hpp>
#include <libam/base/wakeup.hpp>
#include <libam/tools/am-run/server.hpp>

#include <algorithm>

namespace am::detail::run {
bool server::handle_notify(am_rank rank, seam::bytes_view body) {
  seam::cursor at(body);
  const auto attention = at.long_number();
  const auto bits = at.long_number();
  const auto exit_report = at.long_number();
  const auto wakeup = at.long_number();
  if (!attention || !bits || !exit_report || !wakeup || !at.empty()) return false;
  epochs_[ranks_[rank].epoch].exit_notifications[rank] = {*attention, *bits, *exit_report, *wakeup};
  return true;
}

bool server::retire_rank(am_rank rank) {
  const unsigned number = ranks_[rank].epoch;
  if (number != 0 && ranks_[rank].retired_in == number) return true;
  const auto found = epochs_.find(number);
  if (found == epochs_.end() || ranks_[rank].completed == number) return false;
  epoch_state& epoch = found->second;
  const auto present = [](const auto& notification) { return notification.has_value(); };
  if (!std::ranges::all_of(epoch.exit_notifications, present)) return false;
  if (is_joined(rank)) close_connection(rank);
  ranks_[rank].retired_in = number;
  epoch.dead[rank] = true;
  ++epoch.deaths;
  // Its blobs for the current fence are dropped.
  if (epoch.contributions[rank]) --epoch.arrived;
  epoch.contributions[rank].reset();
  notify_of_death(epoch, rank);
  if (epoch.arrived != 0 && epoch.arrived + epoch.deaths == ranks_.size()) complete_fence(number);
  erase_if_complete(number);
  return true;
}

void server::notify_of_death(const epoch_state& epoch, am_rank dead) {
  base::shared_word(epoch.memory.get(), epoch.exit_notifications[dead]->exit_report).set(1);
  for (am_rank rank = 0; rank < ranks_.size(); ++rank) {
    if (epoch.dead[rank]) continue;
    const seam::exit_notification& notification = *epoch.exit_notifications[rank];
    base::shared_word(epoch.memory.get(), notification.attention).set(notification.bits);
    // A wake-up socket for each: unread datagrams to one rank would take the room of all others.
    base::fd socket;
    if (base::wakeup::create(socket) == AM_OK)
      base::wakeup(std::move(socket)).wake(notification.wakeup);
  }
}

}  // namespace am::detail::run

// Deaths that the others outlive: the exit flag of the dead rank is set in the memory of this host,
// and the attention word of every other rank here, which it polls anyway. A rank that sleeps is
// woken.
#include <libam/base/shared_word.hpp>
#include <libam/base/wakeup.hpp>
#include <libam/tools/am-run/ranks/rank_server.hpp>

namespace am::detail::run {

void rank_server::retire(am_rank rank, unsigned number, std::uint64_t exit_report) {
  const auto found = epochs_.find(number);
  if (found == epochs_.end()) return;  // all ranks of this host have left it
  epoch_state& epoch = found->second;
  const bool is_here = ranks_.has(rank) && of(rank).epoch == number;
  if (is_here) {
    const auto dead = epoch.dead.begin() + static_cast<std::ptrdiff_t>(ranks_.place_of(rank));
    if (*dead) return;
    if (of(rank).connection) close_connection(rank);
    *dead = true;
    ++epoch.deaths;
  }
  notify_of_death(epoch, exit_report);
  erase_if_complete(number);
}

// Every rank has its control block at the same offset in the memory of every host.
void rank_server::notify_of_death(const epoch_state& epoch, std::uint64_t exit_report) {
  base::shared_word(epoch.memory.get(), exit_report).set(1);
  for (std::size_t place = 0; place < epoch.exit_notifications.size(); ++place) {
    const auto& notification = epoch.exit_notifications[place];
    if (epoch.dead[place] || !notification) continue;
    base::shared_word(epoch.memory.get(), notification->attention).set(notification->bits);
    // A wake-up socket for each: unread datagrams to one rank would take the room of all others.
    base::fd socket;
    if (base::wakeup::create(socket) == AM_OK)
      base::wakeup(std::move(socket)).wake(notification->wakeup);
  }
}

}  // namespace am::detail::run

// Deaths that the others outlive: one word in the memory of the job says who has died, and every
// other rank's attention is called, where it looks anyway. A rank that sleeps is rung.
#include <libam/base/bell.hpp>
#include <libam/base/shared_word.hpp>
#include <libam/tools/am-run/server.hpp>

#include <algorithm>

namespace am::detail::run {
bool server::take_watch(am_rank rank, seam::bytes_view body) {
  seam::cursor at(body);
  const auto attention = at.long_number();
  const auto bits = at.long_number();
  const auto obituary = at.long_number();
  const auto bell = at.long_number();
  if (!attention || !bits || !obituary || !bell || !at.empty()) return false;
  epochs_[places_[rank].epoch].watches[rank] = {*attention, *bits, *obituary, *bell};
  return true;
}

bool server::bury(am_rank rank) {
  const unsigned number = places_[rank].epoch;
  if (number != 0 && places_[rank].buried == number) return true;
  const auto found = epochs_.find(number);
  if (found == epochs_.end() || places_[rank].completed == number) return false;
  gathering& epoch = found->second;
  const auto present = [](const auto& watch) { return watch.has_value(); };
  if (!std::ranges::all_of(epoch.watches, present)) return false;
  if (inside(rank)) close_conversation(rank);
  places_[rank].buried = number;
  epoch.dead[rank] = true;
  ++epoch.deaths;
  // What it had brought to the fence that is being gathered is as lost as what it had not.
  if (epoch.parts[rank]) --epoch.arrived;
  epoch.parts[rank].reset();
  tell_of_death(epoch, rank);
  if (epoch.arrived != 0 && epoch.arrived + epoch.deaths == places_.size()) answer_fence(number);
  forget_if_over(number);
  return true;
}

void server::tell_of_death(const gathering& epoch, am_rank dead) {
  base::shared_word(epoch.memory.get(), epoch.watches[dead]->obituary).set(1);
  for (am_rank rank = 0; rank < places_.size(); ++rank) {
    if (epoch.dead[rank]) continue;
    const seam::deathwatch& watch = *epoch.watches[rank];
    base::shared_word(epoch.memory.get(), watch.attention).set(watch.bits);
    // A bell for each: one whose datagrams nobody reads would wait for room.
    base::fd socket;
    if (base::bell::create(socket) == AM_OK) base::bell(std::move(socket)).ring(watch.bell);
  }
}

}  // namespace am::detail::run

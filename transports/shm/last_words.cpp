// When a peer has died: what it had published is delivered, and then it is told which requests to
// it are not answered for. The dead one writes nothing any more, so all of it is read at leisure.
// docs/failure.md has the argument.
#include <libam/base/cache_line.hpp>
#include <transports/shm/places.hpp>
#include <transports/shm/shm.hpp>

#include <algorithm>
#include <vector>

namespace am::detail::shm {

void shared_memory_transport::look_for_deaths() noexcept {
  for (am_rank rank = 0; rank < host_.ranks; ++rank) {
    // SYNC(obituary): with the release in am-run's obituaries.cpp. All that the dead rank wrote is
    // there.
    const auto& door = object_at<doorstep>(memory_, places_.doorstep_at(rank));
    if (dead_[rank] || rank == host_.rank || door.obituary.load(std::memory_order_acquire) == 0)
      continue;
    dead_[rank] = true;
    host_.arrivals.hear_of_death(rank);
  }
}

// A peer that died right after its arrival may not have knocked.
unsigned shared_memory_transport::last_words(am_rank peer, unsigned budget) noexcept {
  welcome_arrivals();
  unsigned taken = 0;
  if (incoming_[peer] != nullptr) taken += drain(*incoming_[peer], budget);
  if (outgoing_[peer] != nullptr) taken += drain(*outgoing_[peer], budget - taken);
  if (taken == budget) return taken;
  if (incoming_[peer] != nullptr) forget(*incoming_[peer]);
  if (outgoing_[peer] != nullptr) forget(*outgoing_[peer]);
  return taken;
}

void poller::forget(const watch& ring) noexcept {
  for (auto* rings : {&active_, &quiet_, &unpaused_})
    std::erase_if(*rings, [&](const watch* one) { return one == &ring; });
}

// Requests are handled in order. Those on their way are the youngest, but for silent ones that the
// target had handled and not yet counted in public; of these the last reply tells.
void outgoing::give_up(seam::mourner& all) noexcept {
  (void)collect();
  const std::uint32_t silent = lines_.silent.load(std::memory_order_relaxed);
  const auto uncounted = static_cast<std::int16_t>(silents_heard_ - silent);
  const std::uint32_t counted = silent + static_cast<std::uint32_t>(std::max<int>(uncounted, 0));
  if (account_.may_be_silent(counted)) account_.silent_read(counted);

  std::vector<const slot*> lost;
  lost.reserve(account_.on_their_way());
  seam::look_back(exposed(), account_.on_their_way(), seam::own_memory{},
                  [&](std::uint32_t, std::uintptr_t one, std::uint64_t) {
                    lost.push_back(reinterpret_cast<const slot*>(one));
                    return true;
                  });
  const std::uint32_t begun = lines_.begun.load(std::memory_order_relaxed);
  std::size_t certain = 0;  // so many of the youngest have not run
  while (certain != lost.size() && requests_.number_of(*lost[certain]) + 1 != begun) ++certain;

  for (std::size_t i = lost.size(); i-- != 0;) {
    const slot& one = *lost[i];
    const std::uint64_t control = control_in(&one);
    const payload_place place = base::copied_once(one.payload);
    const bool has_payload = kind_of(control) == kind::medium || kind_of(control) == kind::asking;
    const bool medium = has_payload && payload_.has(place.offset, place.bytes);
    all.lost(watch::peer(),
             {handler_of(control), one.words, medium ? payload_.at(place.offset) : nullptr,
              medium ? place.bytes : 0, i >= certain});
  }
}

}  // namespace am::detail::shm

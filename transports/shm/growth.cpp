#include <transports/shm/growth.hpp>

#include <libam/base/log.hpp>

namespace am::detail::shm {

bool growth::begin(std::uint32_t slots, std::uint32_t limit) noexcept {
  possible_ = slots < layout_.most_slots() && credits_for(2 * slots) > limit;
  if (!possible_) return false;
  if (!reserve_halves(slots)) {
    possible_ = false;
    base::log(base::log_level::info,
              "shm: the ring to rank {} stays at {} slots: no memory for {} more", to_, slots,
              slots);
    return false;
  }
  under_way_ = true;
  return true;
}

// Growth must leave enough memory for the first messages of all other pairs.
bool growth::reserve_halves(std::uint32_t slots) noexcept {
  const std::size_t half = slots * sizeof(slot);
  return memory_.available() >= layout_.message_bytes() + 2 * half &&
         memory_.reserve(layout_.requests_at(from_, to_) + half, half) == AM_OK &&
         memory_.reserve(layout_.replies_at(from_, to_) + half, half) == AM_OK;
}

}  // namespace am::detail::shm

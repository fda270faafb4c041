#include <transports/hook/mischief.hpp>

#include <signal.h>

#include <thread>

namespace am::detail::hook {

namespace {

using namespace std::chrono_literals;

// One call in so many.
constexpr std::uint64_t stall_rarity = 20'000;
constexpr std::uint64_t shortage_rarity = 8;

// At most. Long for a message, short for a test.
constexpr auto longest_stall = 20ms;
constexpr auto longest_hold = 200us;
constexpr std::uint64_t longest_life = 1 << 15;  // in calls

template <class Duration>
std::chrono::nanoseconds random_part(base::dice& of, Duration longest) noexcept {
  const std::chrono::nanoseconds most = longest;
  return std::chrono::nanoseconds(of.below(static_cast<std::uint64_t>(most.count())));
}

}  // namespace

base::dice& mischief::the_dice() noexcept {
  if (!drawn_) draw_fate();
  return dice_;
}

// Whom death takes is the same for all ranks; the rest is each rank's own.
void mischief::draw_fate() noexcept {
  base::dice common = seam::common_dice(host_);
  const bool is_victim = common.below(host_.ranks) == host_.rank;
  const std::uint64_t life = 1 + common.below(longest_life);
  if (faults_.kill && is_victim) calls_to_live_ = life;
  dice_ = seam::own_dice(common, host_.rank);
  drawn_ = true;
}

void mischief::befall() noexcept {
  base::dice& dice = the_dice();
  if (calls_to_live_ != 0 && --calls_to_live_ == 0) (void)::raise(SIGKILL);
  if (faults_.stall && dice.once_in(stall_rarity))
    std::this_thread::sleep_for(random_part(dice, longest_stall));
}

bool mischief::holds_back() noexcept {
  if (faults_.delay == 0) return false;
  if (held_until_ != clock::time_point{}) {
    if (clock::now() < held_until_) return true;
    held_until_ = {};
    return false;  // what was held comes now: a delay ends
  }
  if (!the_dice().once_in(faults_.delay)) return false;
  held_until_ = clock::now() + random_part(the_dice(), longest_hold);
  return true;
}

unsigned mischief::cut(unsigned budget) noexcept {
  return faults_.delay != 0 && budget != 0 ? 1 + static_cast<unsigned>(the_dice().below(budget))
                                           : budget;
}

bool mischief::feigns_shortage() noexcept {
  return faults_.again && the_dice().once_in(shortage_rarity);
}

}  // namespace am::detail::hook

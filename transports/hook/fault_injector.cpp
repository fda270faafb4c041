#include <transports/hook/fault_injector.hpp>

#include <signal.h>

#include <thread>

namespace am::detail::hook {

namespace {

using namespace std::chrono_literals;

// On average one call in this number.
constexpr std::uint64_t stall_rarity = 20'000;
constexpr std::uint64_t shortage_rarity = 8;

// At most. Long for a message, short for a test.
constexpr auto longest_stall = 20ms;
constexpr auto longest_hold = 200us;
constexpr std::uint64_t max_calls_to_live = 1 << 15;

template <class Duration>
std::chrono::nanoseconds random_part(base::random_source& of, Duration longest) noexcept {
  const std::chrono::nanoseconds most = longest;
  return std::chrono::nanoseconds(of.below(static_cast<std::uint64_t>(most.count())));
}

}  // namespace

base::random_source& fault_injector::rank_random() noexcept {
  if (!drawn_) draw_faults();
  return random_;
}

// All ranks draw the same victim; the other faults are each rank's own.
void fault_injector::draw_faults() noexcept {
  base::random_source common = seam::common_random(context_);
  const bool is_victim = common.below(context_.ranks) == context_.rank;
  const std::uint64_t life = 1 + common.below(max_calls_to_live);
  if (faults_.kill && is_victim) calls_to_live_ = life;
  random_ = seam::own_random(common, context_.rank);
  drawn_ = true;
}

void fault_injector::inject() noexcept {
  base::random_source& random = rank_random();
  if (calls_to_live_ != 0 && --calls_to_live_ == 0) (void)::raise(SIGKILL);
  if (faults_.stall && random.once_in(stall_rarity))
    std::this_thread::sleep_for(random_part(random, longest_stall));
}

bool fault_injector::delays_delivery() noexcept {
  if (faults_.delay == 0) return false;
  if (held_until_ != clock::time_point{}) {
    if (clock::now() < held_until_) return true;
    held_until_ = {};
    return false;  // the delay ends: now the messages are delivered
  }
  if (!rank_random().once_in(faults_.delay)) return false;
  held_until_ = clock::now() + random_part(rank_random(), longest_hold);
  return true;
}

unsigned fault_injector::cut_budget(unsigned budget) noexcept {
  return faults_.delay != 0 && budget != 0 ? 1 + static_cast<unsigned>(rank_random().below(budget))
                                           : budget;
}

bool fault_injector::simulates_shortage() noexcept {
  return faults_.again && rank_random().once_in(shortage_rarity);
}

}  // namespace am::detail::hook

// AM_FAULT: which faults are injected into this rank's messages, for tests of programs and of libam
// itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace am::detail::base {

struct faults {
  bool delay = false;  // messages are delivered late and a few at a time
  bool again = false;  // credits and payload room are said to be used up when they are not
  bool stall = false;  // this rank does nothing for a while
  bool kill = false;   // one rank of the job dies
  std::optional<std::uint64_t> seed;

  [[nodiscard]] bool any() const noexcept { return delay || again || stall || kill; }
};

// Under which rank 0 puts the seed, if none was given, for the others to find after the join's
// first fence.
inline constexpr std::string_view seed_key = "fault.seed";

inline constexpr std::string_view faults_range = "a list of delay, again, stall, kill; and seed=N";

// "delay,again,seed=7". False: it is none of the kind, or names no fault.
bool read_faults(std::string_view list, faults& out) noexcept;

}  // namespace am::detail::base

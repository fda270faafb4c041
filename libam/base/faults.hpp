// AM_FAULT: which faults are injected into this rank's messages, for tests of programs and of libam
// itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace am::detail::base {

struct faults {
  std::uint64_t delay = 0;  // after one poll in this many, messages come late and a few at a time
  bool again = false;       // credits and payload room are reported as used up when they are not
  bool stall = false;       // this rank does nothing for a while
  bool kill = false;        // one rank of the job dies

  // Faults of a network: each is injected into one frame, or call, in this many; 0: none.
  std::uint64_t cut_short = 0;  // a call moves a few bytes
  std::uint64_t reset = 0;      // the connection is reset
  std::uint64_t truncate = 0;   // it ends inside a frame
  std::uint64_t corrupt = 0;    // a bit of a frame is flipped
  std::uint64_t drop = 0;       // a frame is lost
  std::uint64_t dup = 0;        // a frame is sent twice

  std::optional<std::uint64_t> seed;

  [[nodiscard]] bool affects_messages() const noexcept {
    return delay != 0 || again || stall || kill;
  }
  [[nodiscard]] bool affects_network() const noexcept {
    return (cut_short | reset | truncate | corrupt | drop | dup) != 0;
  }
  [[nodiscard]] bool any() const noexcept { return affects_messages() || affects_network(); }
};

// The key under which rank 0 puts the seed, if none was given. The others read it after the join's
// first fence.
inline constexpr std::string_view seed_key = "fault.seed";

inline constexpr std::string_view faults_range =
    "a list of delay, again, stall, kill; of tcp also short, reset, truncate, corrupt, drop, dup; "
    "delay and those of tcp with =N for one in N; and seed=N";

// "delay,reset=500,seed=7". False: `list` is not valid, or names no fault.
bool read_faults(std::string_view list, faults& out) noexcept;

}  // namespace am::detail::base

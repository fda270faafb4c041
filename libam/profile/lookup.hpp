// Finds the profile of this machine, reads it and says why it is not used. am-calibrate keeps it,
// and writes its fingerprint.
#pragma once

#include <libam/profile/choices.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::profile {

// What a profile has to agree with, of the fingerprint that am-calibrate writes. Caches do not
// change without the processor; a hypervisor may, and is not compared; UCX is not loaded to learn
// its version.
struct machine {
  std::string cpu;
  unsigned cores;
  std::string kernel;   // "Linux 6"
  std::string version;  // of libam
};
machine this_machine();

// Where am-calibrate keeps a profile: the user's own, then the machine's.
std::vector<std::string> places();

struct verdict {
  std::string why_not;  // one line; empty: it is used
  std::optional<figures> costs;
};
// Of a profile's text, or of what was read of it.
verdict judge(std::string_view text, std::string_view transport, const machine& here);
verdict judge(document read, std::string_view transport, const machine& here);

// Over others a flat broadcast was slower as often as faster (docs/calibration.md).
inline constexpr std::string_view of_transport = "shm";

struct finding {
  std::string file;  // empty: there is none
  verdict found;
};
inline constexpr std::string_view automatic = "auto";
// The file; with `automatic` the first of the kept ones that is used, or else the first that is
// there.
finding look_up(std::string_view file, std::string_view transport,
                const std::vector<std::string>& kept = places());

}  // namespace am::detail::profile

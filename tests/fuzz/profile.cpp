// The measured profile: any text is refused with one line, or read, and then what is chosen by it
// is within its bounds.
#include "target.hpp"

#include <libam/profile/lookup.hpp>

#include <algorithm>
#include <string_view>

AM_FUZZ_TARGET(profile) {
  namespace profile = am::detail::profile;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const profile::machine here{"A processor", 4, "Linux 6", "0.1.0"};
  const profile::verdict found = profile::judge(text, "shm", here);
  AM_PROMISE(found.why_not.empty() == found.costs.has_value());
  AM_PROMISE(found.why_not.size() < 1000);
  AM_PROMISE(std::ranges::none_of(
      found.why_not, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
  if (!found.costs) return;
  for (const auto ranks : profile::choose(*found.costs).flat_ranks)
    AM_PROMISE(ranks == 0 || (ranks >= 4 && ranks <= profile::most_flat_ranks));
}

// One of several ways, tried in order until one is taken: of joining a job, or of reaching a peer.
// For people who ask what was tried.
#pragma once

#include <compare>
#include <string>

namespace am::detail::seam {

struct attempt {
  std::string name;
  std::string outcome;  // why it was not taken; empty: it was
  auto operator<=>(const attempt&) const = default;
};

}  // namespace am::detail::seam

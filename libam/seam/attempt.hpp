// One of several choices, tried in order until one is taken: boots, or transports to a peer. For
// reports of what was tried.
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

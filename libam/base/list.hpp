// Settings that are lists: items with commas between.
#pragma once

#include <string_view>

namespace am::detail::base {

// Calls visit(item) for each, at least once, until it says false; says whether it never did.
template <class Visit>
bool all_items(std::string_view list, Visit&& visit) {
  for (;;) {
    const std::size_t comma = list.find(',');
    if (!visit(list.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace am::detail::base

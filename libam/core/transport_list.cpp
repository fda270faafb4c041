// AM_TRANSPORT: "shm,tcp" names the transports that are allowed, "^shm" those that are not.
#include <libam/base/error.hpp>
#include <libam/base/text.hpp>
#include <libam/core/known_transports.hpp>
#include <libam/seam/load_module.hpp>

#include <algorithm>

namespace am::detail::core {

namespace {

// Calls visit(name, excluded) for every item of a list that may be empty.
template <class Visit>
void each_item(std::string_view list, Visit&& visit) {
  if (list.empty()) return;
  base::all_items(list, [&](std::string_view item) {
    const bool excluded = item.starts_with('^');
    visit(excluded ? item.substr(1) : item, excluded);
    return true;
  });
}

bool is_known(std::string_view name) noexcept {
  return std::ranges::find(known_transports(), name, &known_transport::name) !=
         known_transports().end();
}

}  // namespace

std::vector<known_transport> transports_with(std::string_view list) {
  const auto known = known_transports();
  std::vector<known_transport> all(known.begin(), known.end());
  each_item(list, [&](std::string_view item, bool is_exclusion) {
    const bool there = std::ranges::find(all, item, &known_transport::name) != all.end();
    if (!there && !is_exclusion)
      all.push_back({.name = item, .make = nullptr, .is_external = true});
  });
  return all;
}

bool is_allowed(std::string_view list, std::string_view name) noexcept {
  bool only_exclusions = true;
  bool named = name == "self";
  bool excluded = false;
  each_item(list, [&](std::string_view item, bool is_exclusion) {
    only_exclusions &= is_exclusion;
    if (item == name) (is_exclusion ? excluded : named) = true;
  });
  return !excluded && (only_exclusions || named);
}

bool is_requested(std::string_view list, std::string_view name) noexcept {
  bool named = false;
  each_item(list, [&](std::string_view item, bool is_exclusion) {
    named |= item == name && !is_exclusion;
  });
  return named;
}

am_status check_names(std::string_view list, std::string_view module_path) {
  am_status status = AM_OK;
  each_item(list, [&](std::string_view item, bool) {
    std::string why;
    if (status != AM_OK || is_known(item) || !seam::find_module(item, module_path, why).empty())
      return;
    status = base::fail(AM_ARGUMENT_SETTING,
                        "AM_TRANSPORT={}: there is no transport \"{}\"; there are self, shm, ucx "
                        "and tcp, ^ before a name excludes it; {}",
                        base::abbreviate(list), base::abbreviate(item), why);
  });
  const auto may_be_used = [&](const known_transport& one) { return is_allowed(list, one.name); };
  if (status == AM_OK && std::ranges::none_of(transports_with(list), may_be_used))
    return base::fail(AM_ARGUMENT_SETTING,
                      "AM_TRANSPORT={}: this leaves no transport; there are self, shm, ucx and tcp",
                      base::abbreviate(list));
  return status;
}

}  // namespace am::detail::core

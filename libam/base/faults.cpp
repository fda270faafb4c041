#include <libam/base/faults.hpp>
#include <libam/base/list.hpp>

#include <charconv>
#include <utility>

namespace am::detail::base {

namespace {

constexpr std::pair<std::string_view, bool faults::*> names[] = {{"delay", &faults::delay},
                                                                 {"again", &faults::again},
                                                                 {"stall", &faults::stall},
                                                                 {"kill", &faults::kill}};
constexpr std::string_view seed_is = "seed=";

bool read_one(std::string_view item, faults& out) noexcept {
  for (const auto& [name, member] : names) {
    if (item == name) return out.*member = true;
  }
  if (!item.starts_with(seed_is)) return false;
  item.remove_prefix(seed_is.size());
  std::uint64_t seed = 0;
  const char* const end = item.data() + item.size();
  const auto [stopped, error] = std::from_chars(item.data(), end, seed);
  if (error != std::errc{} || stopped != end) return false;
  out.seed = seed;
  return true;
}

}  // namespace

bool read_faults(std::string_view list, faults& out) noexcept {
  faults read;
  if (!all_items(list, [&](std::string_view item) { return read_one(item, read); }) || !read.any())
    return false;
  out = read;
  return true;
}

}  // namespace am::detail::base

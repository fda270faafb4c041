#include <libam/base/faults.hpp>

#include <libam/base/text.hpp>

#include <utility>

namespace am::detail::base {

namespace {

constexpr std::pair<std::string_view, bool faults::*> simple[] = {
    {"again", &faults::again}, {"stall", &faults::stall}, {"kill", &faults::kill}};

struct rare_fault {
  std::string_view name;
  std::uint64_t faults::*rarity;
  std::uint64_t usual;
};
constexpr rare_fault rare[] = {
    {"delay", &faults::delay, 200},      {"short", &faults::cut_short, 4},
    {"reset", &faults::reset, 1000},     {"truncate", &faults::truncate, 1000},
    {"corrupt", &faults::corrupt, 1000}, {"drop", &faults::drop, 1000},
    {"dup", &faults::dup, 1000}};

bool read_one(std::string_view item, faults& out) noexcept {
  for (const auto& [name, member] : simple) {
    if (item == name) return out.*member = true;
  }
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  std::uint64_t number = 0;
  const bool has_number = equals != std::string_view::npos;
  if (has_number && !read_number(item.substr(equals + 1), number)) return false;
  if (name == "seed") {
    out.seed = number;
    return has_number;
  }
  for (const rare_fault& one : rare) {
    if (name != one.name) continue;
    out.*one.rarity = has_number ? number : one.usual;
    return out.*one.rarity != 0;
  }
  return false;
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

// The model that murphi explores: the directory protocol of S. German, a standard example of the
// model checker Murphi. Caches keep one line of memory coherent; each has three channels to and
// from the home of the line, for a request, for what the home says, and for acknowledgements.
#pragma once

#include "random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace apps::murphi {

inline constexpr unsigned caches = 3;
inline constexpr unsigned value_bits = 5;
inline constexpr unsigned most_values = 1U << value_bits;

enum copy_state : std::uint8_t { invalid, shared, modified };
enum request : std::uint8_t { no_request, get_shared, get_modified };
enum order : std::uint8_t { no_order, invalidate, take_shared, take_modified };

// What one cache has, what is in its channels, and what the home knows of it.
struct cache {
  copy_state copy = invalid;
  std::uint8_t value = 0;
  request asked = no_request;
  order ordered = no_order;
  std::uint8_t ordered_value = 0;
  bool has_acknowledged = false;
  std::uint8_t acknowledged_value = 0;
  bool is_sharer = false;
  bool to_invalidate = false;
};

struct machine {
  std::array<cache, caches> all;
  request serving = no_request;
  std::uint8_t client = 0;  // whom the home serves
  bool is_granted = false;  // a cache may modify the line
  std::uint8_t memory = 0;
  std::uint8_t written = 0;  // last, by any cache: what readers are to see
};

// A state of the machine in two words. None is all zero.
struct state {
  std::uint64_t control = 0;
  std::uint64_t values = 0;

  friend bool operator==(const state&, const state&) = default;
  [[nodiscard]] std::uint64_t hash(std::uint64_t seed) const noexcept {
    return random_word(random_word(seed, control), values);
  }
};

// For each field in turn on_control(field, bits) or on_value(field).
template <class Machine, class OnControl, class OnValue>
void for_each_field(Machine& m, OnControl&& on_control, OnValue&& on_value) {
  for (auto& one : m.all) {
    on_control(one.copy, 2U);
    on_control(one.asked, 2U);
    on_control(one.ordered, 2U);
    on_control(one.has_acknowledged, 1U);
    on_control(one.is_sharer, 1U);
    on_control(one.to_invalidate, 1U);
    on_value(one.value);
    on_value(one.ordered_value);
    on_value(one.acknowledged_value);
  }
  on_control(m.serving, 2U);
  on_control(m.client, 2U);
  on_control(m.is_granted, 1U);
  on_value(m.memory);
  on_value(m.written);
}

inline state packed(const machine& m) noexcept {
  state out;
  unsigned control_at = 0;
  unsigned value_at = 0;
  for_each_field(
      m,
      [&](auto field, unsigned bits) {
        out.control |= static_cast<std::uint64_t>(field) << control_at;
        control_at += bits;
      },
      [&](std::uint8_t value) {
        out.values |= std::uint64_t{value} << value_at;
        value_at += value_bits;
      });
  out.control |= std::uint64_t{1} << control_at;
  return out;
}

inline machine unpacked(const state& from) noexcept {
  machine out;
  unsigned control_at = 0;
  unsigned value_at = 0;
  for_each_field(
      out,
      [&](auto& field, unsigned bits) {
        field = static_cast<std::remove_reference_t<decltype(field)>>(from.control >> control_at &
                                                                      ((1U << bits) - 1));
        control_at += bits;
      },
      [&](std::uint8_t& value) {
        value = static_cast<std::uint8_t>(from.values >> value_at & (most_values - 1));
        value_at += value_bits;
      });
  return out;
}

}  // namespace apps::murphi

// What can happen in the protocol that murphi explores, and what has to hold in every state.
#pragma once

#include "murphi_protocol.hpp"

#include <algorithm>
#include <utility>

namespace apps::murphi {

// A rule fires where its condition holds: `on_next` gets the machine after it.
template <class OnNext>
class rules {
 public:
  rules(const machine& now, unsigned values, const OnNext& on_next)
      : now_(now), values_(values), on_next_(on_next) {}

  void fire_all() {
    for (std::uint8_t i = 0; i < caches; ++i) {
      fire_cache(i);
      fire_home(i);
    }
  }

 private:
  template <class Change>
  void fire(std::uint8_t i, Change&& change) {
    machine next = now_;
    change(next, next.all[i]);
    on_next_(next);
  }

  void fire_cache(std::uint8_t i) {
    const cache& here = now_.all[i];
    if (here.copy == modified && values_ > 1)
      fire(i, [&](machine& m, cache& c) {
        m.written = c.value = static_cast<std::uint8_t>((m.written + 1U) % values_);
      });
    if (here.asked == no_request && here.copy == invalid)
      fire(i, [](machine&, cache& c) { c.asked = get_shared; });
    if (here.asked == no_request && here.copy != modified)
      fire(i, [](machine&, cache& c) { c.asked = get_modified; });
    if (here.ordered == invalidate && !here.has_acknowledged)
      fire(i, [](machine&, cache& c) { give_up(c); });
    if (here.ordered == take_shared) fire(i, [](machine&, cache& c) { take(c, shared); });
    if (here.ordered == take_modified) fire(i, [](machine&, cache& c) { take(c, modified); });
  }
  // What is not used any more is 0, so that it makes no difference between states.
  static void give_up(cache& c) {
    c.ordered = no_order;
    c.has_acknowledged = true;
    if (c.copy == modified) c.acknowledged_value = c.value;
    c.copy = invalid;
    c.value = 0;
  }
  static void take(cache& c, copy_state as) {
    c.copy = as;
    c.value = std::exchange(c.ordered_value, 0);
    c.ordered = no_order;
  }

  void fire_home(std::uint8_t i) {
    const cache& here = now_.all[i];
    if (now_.serving == no_request && here.asked != no_request)
      fire(i, [&](machine& m, cache& c) { begin_to_serve(m, c, i); });
    if (here.to_invalidate && here.ordered == no_order &&
        (now_.serving == get_modified || (now_.serving == get_shared && now_.is_granted)))
      fire(i, [](machine&, cache& c) {
        c.ordered = invalidate;
        c.to_invalidate = false;
      });
    if (here.has_acknowledged && now_.serving != no_request)
      fire(i, [](machine& m, cache& c) { hear(m, c); });
    if (now_.serving == no_request || now_.client != i || here.ordered != no_order ||
        now_.is_granted)
      return;
    if (now_.serving == get_shared)
      fire(i, [](machine& m, cache& c) { grant(m, c, take_shared); });
    else if (std::ranges::none_of(now_.all, &cache::is_sharer))
      fire(i, [](machine& m, cache& c) { grant(m, c, take_modified); });
  }
  static void begin_to_serve(machine& m, cache& c, std::uint8_t client) {
    m.serving = std::exchange(c.asked, no_request);
    m.client = client;
    for (cache& each : m.all) each.to_invalidate = each.is_sharer;
  }
  static void hear(machine& m, cache& c) {
    c.has_acknowledged = false;
    c.is_sharer = false;
    if (std::exchange(m.is_granted, false)) m.memory = c.acknowledged_value;
    c.acknowledged_value = 0;
  }
  static void grant(machine& m, cache& c, order how) {
    c.ordered = how;
    c.ordered_value = m.memory;
    c.is_sharer = true;
    m.is_granted = how == take_modified;
    m.serving = no_request;
    m.client = 0;
  }

  const machine& now_;
  const unsigned values_;
  const OnNext& on_next_;
};

// A cache that may modify the line is the only one with a copy; and what readers see, and the
// memory unless a cache may modify the line, is what was written last.
inline bool is_coherent(const machine& m) {
  const auto copies = std::ranges::count_if(m.all, [](auto& c) { return c.copy != invalid; });
  return std::ranges::all_of(m.all,
                             [&](const cache& c) {
                               return c.copy == invalid ||
                                      (c.value == m.written && (c.copy == shared || copies == 1));
                             }) &&
         (m.is_granted || m.memory == m.written);
}

}  // namespace apps::murphi

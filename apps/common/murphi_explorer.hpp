// What murphi and its twin share: the size of the model, the set of a rank's states, the work of a
// level, and the serial reference.
#pragma once

#include "murphi_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace apps::murphi {

// How many states there are with this number of values, as exploring has shown. Before a cache has
// got the line there is one value; otherwise each one in turn is the last that was written, and for
// some states the memory may still have any other.
constexpr std::size_t states_with(std::size_t values) noexcept {
  return 27 + values * (27486 + 1539 * (values - 1));
}
// The most values with which there are no more states than that.
constexpr unsigned values_within(std::size_t states) noexcept {
  unsigned values = 1;
  while (values < most_values && states_with(values + 1) <= states) ++values;
  return values;
}

struct findings {
  std::uint64_t states = 0;
  std::uint64_t hash = 0;  // a sum over all states
  std::uint64_t fired = 0;
  std::uint64_t faults = 0;  // states that are not coherent, or in which no rule fires
  std::uint64_t levels = 0;

  friend bool operator==(const findings&, const findings&) = default;
};

class state_set {
 public:
  explicit state_set(std::uint64_t seed) : seed_(seed), places_(std::size_t{1} << 12) {}

  // False: it was there.
  bool insert(const state& one) {
    if (2 * count_ >= places_.size()) grow();
    state& place = place_of(one);
    if (place == one) return false;
    place = one;
    ++count_;
    return true;
  }
  // Of one that will soon be inserted.
  void prefetch(const state& one) const noexcept { __builtin_prefetch(&places_[first_place(one)]); }

 private:
  // The lower half of the hash chooses the rank.
  [[nodiscard]] std::size_t first_place(const state& one) const noexcept {
    return (one.hash(seed_) >> 32) & (places_.size() - 1);
  }
  // Where it is, or is to be.
  state& place_of(const state& one) {
    std::size_t i = first_place(one);
    while (places_[i] != state{} && places_[i] != one) i = (i + 1) & (places_.size() - 1);
    return places_[i];
  }
  void grow() {
    std::vector<state> before(2 * places_.size());
    before.swap(places_);
    for (const state& one : before)
      if (one != state{}) place_of(one) = one;
  }

  std::uint64_t seed_;
  std::vector<state> places_;  // a power of two
  std::size_t count_ = 0;
};

// The states of one rank, level by level: those of a level are one rule further than those before.
class explorer {
 public:
  explorer(unsigned values, std::uint64_t seed, std::size_t ranks, std::size_t rank)
      : values_(values), seed_(seed), rank_(rank), set_(seed), out_(ranks) {
    const state first = packed(machine{});
    if (owner(first) == rank) add({&first, 1});
  }

  // How many states of the next level are here. After a fault this rank goes no further: where the
  // protocol is wrong there may be many more states than in the formula.
  std::size_t begin_level() {
    level_.swap(next_);
    next_.clear();
    if (found_.faults != 0) level_.clear();
    return level_.size();
  }
  // Fires all rules in all of them.
  void expand() {
    for (auto& each : out_) each.clear();
    for (const state& one : level_) {
      const machine now = unpacked(one);
      const std::uint64_t fired_before = found_.fired;
      const auto on_next = [&](const machine& next) {
        const state to = packed(next);
        out_[owner(to)].push_back(to);
        ++found_.fired;
      };
      rules(now, values_, on_next).fire_all();
      ++found_.states;
      found_.hash += one.hash(seed_);
      if (!is_coherent(now) || found_.fired == fired_before) ++found_.faults;
    }
    ++found_.levels;
    add(out_[rank_]);
    out_[rank_].clear();
  }
  // By rank: what this level has found for it. What this rank has found for itself is added.
  [[nodiscard]] const std::vector<std::vector<state>>& out() const noexcept { return out_; }
  void add(std::span<const state> found) {
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i + ahead < found.size()) set_.prefetch(found[i + ahead]);
      if (set_.insert(found[i])) next_.push_back(found[i]);
    }
  }

  [[nodiscard]] const findings& found() const noexcept { return found_; }

 private:
  [[nodiscard]] std::size_t owner(const state& one) const noexcept {
    return ((one.hash(seed_) & 0xffffffffU) * out_.size()) >> 32;
  }

  unsigned values_;
  std::uint64_t seed_;
  std::size_t rank_;
  state_set set_;
  std::vector<state> level_;
  std::vector<state> next_;
  std::vector<std::vector<state>> out_;
  findings found_;
};

inline findings explored_serially(unsigned values, std::uint64_t seed) {
  explorer all(values, seed, 1, 0);
  while (all.begin_level() != 0) all.expand();
  return all.found();
}

// Have all ranks together found what a single one finds, and no fault? `sum` adds up over the
// ranks.
template <class Sum>
bool are_right(findings found, unsigned values, std::uint64_t seed, Sum&& sum) {
  for (std::uint64_t* each : {&found.states, &found.hash, &found.fired, &found.faults})
    *each = sum(*each);
  return found == explored_serially(values, seed) && found.faults == 0 &&
         found.states == states_with(values);
}

}  // namespace apps::murphi

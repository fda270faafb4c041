// Values by the handles of MPI objects: a hash table with open addresses, since every request that
// is begun passes through one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace am::detail::mpidial {

template <class Value>
class handle_table {
 public:
  // Null: none. Valid until the next put() or erase().
  Value* find(std::uint64_t handle) noexcept {
    if (handle == none) return nullptr;
    for (std::size_t at = home_of(handle);; at = after(at)) {
      if (slots_[at].handle == handle) return &slots_[at].value;
      if (slots_[at].handle == none) return nullptr;
    }
  }

  void put(std::uint64_t handle, Value value) {
    if (handle == none) return;
    if (Value* const there = find(handle)) {
      *there = std::move(value);
      return;
    }
    if (2 * (used_ + 1) > slots_.size()) grow();
    insert(handle, std::move(value));
    ++used_;
  }

  void erase(std::uint64_t handle) noexcept {
    if (handle == none) return;
    std::size_t hole = home_of(handle);
    for (; slots_[hole].handle != handle; hole = after(hole))
      if (slots_[hole].handle == none) return;
    // What follows and would not be found behind a hole moves into it.
    for (std::size_t at = after(hole); slots_[at].handle != none; at = after(at)) {
      const std::size_t home = home_of(slots_[at].handle);
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = std::move(slots_[at]);
      hole = at;
    }
    slots_[hole] = {};
    --used_;
  }

  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }

  // visit(handle, value)
  template <class Visit>
  void for_each(Visit&& visit) {
    for (slot& one : slots_)
      if (one.handle != none) visit(one.handle, one.value);
  }

 private:
  static constexpr std::uint64_t none = 0;
  struct slot {
    std::uint64_t handle = none;
    Value value{};
  };

  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
  [[nodiscard]] std::size_t home_of(std::uint64_t handle) const noexcept {
    return (handle * 0x9e3779b97f4a7c15ULL >> 32U) & mask();
  }
  [[nodiscard]] std::size_t after(std::size_t at) const noexcept { return (at + 1) & mask(); }
  void insert(std::uint64_t handle, Value value) {
    std::size_t at = home_of(handle);
    while (slots_[at].handle != none) at = after(at);
    slots_[at] = {handle, std::move(value)};
  }
  void grow() {
    std::vector<slot> old(2 * slots_.size());
    old.swap(slots_);
    for (slot& one : old)
      if (one.handle != none) insert(one.handle, std::move(one.value));
  }

  std::vector<slot> slots_ = std::vector<slot>(64);
  std::size_t used_ = 0;
};

}  // namespace am::detail::mpidial

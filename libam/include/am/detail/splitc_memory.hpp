// The memory of spread arrays, and of those that were destroyed.
#pragma once

#include <am/team.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace am::detail::splitc {

/// The memory of a spread array, whose element i is at rank i % ranks.
struct spread_memory {
  segment memory;
  std::vector<std::byte*> parts;  // by rank
  std::size_t size;               // elements of all ranks
  std::size_t element;            // bytes
  rank_id ranks;
  rank_id me;
  word number = 0;                // the same at all ranks, and of no other memory
  spread_memory* next = nullptr;  // of those that `kept` has

  /// How many elements that rank has.
  [[nodiscard]] std::size_t elements_at(rank_id rank) const noexcept {
    return size / ranks + (rank < size % ranks ? 1 : 0);
  }
};

/// Of arrays that were destroyed where other ranks may still use them. These ranks may do so until
/// they leave, which frees the memory; so nothing else does.
inline std::atomic<spread_memory*> kept = nullptr;

inline void keep_memory(spread_memory* array) noexcept {
  array->next = kept.load();
  while (!kept.compare_exchange_weak(array->next, array)) continue;
}

/// Of arrays that all ranks have destroyed: a new array of the same size gets it. As malloc does
/// with small memory, this saves what a fresh mapping costs, at every rank that accesses it: a page
/// fault for each page.
class spare_memory {
 public:
  void add(std::unique_ptr<spread_memory> array) noexcept try {
    const std::size_t bytes = array->memory.size();
    if (bytes > most_of_one) return;
    arrays_.push_back(std::move(array));
    bytes_ += bytes;
    while (bytes_ > most) take(arrays_.begin());
  } catch (...) {
    // Without room for the pointer the memory is freed.
  }

  /// Collective. Filled with zeros; null: all ranks have to make new memory of this size.
  std::unique_ptr<spread_memory> take(team& all, std::size_t bytes) {
    const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                    [&](const auto& one) { return one->memory.size() == bytes; });
    auto array = found != arrays_.end() ? take(found) : nullptr;
    if (array != nullptr) std::memset(array->parts[array->me], 0, bytes);
    // Ranks differ where one of them could not keep all, or has thrown while others have not.
    const word number = all.all_reduce(array != nullptr ? array->number : 0,
                                       [](word a, word b) { return a == b ? a : 0; });
    return number != 0 ? std::move(array) : nullptr;
  }

 private:
  using list = std::vector<std::unique_ptr<spread_memory>>;
  static constexpr std::size_t most_of_one = std::size_t{32} << 20;  // bytes at this rank
  static constexpr std::size_t most = 2 * most_of_one;

  std::unique_ptr<spread_memory> take(list::iterator which) noexcept {
    auto array = std::move(*which);
    arrays_.erase(which);
    bytes_ -= array->memory.size();
    return array;
  }

  list arrays_;  // the oldest first
  std::size_t bytes_ = 0;
};

}  // namespace am::detail::splitc

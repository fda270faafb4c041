// The state of a rank in a Split-C program: what its calls count, and what handlers find.
#pragma once

#include <am/detail/splitc_memory.hpp>
#include <am/detail/splitc_place.hpp>
#include <am/team.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

namespace am::detail::splitc {

struct state;

/// This thread's. A global pointer has no room for it, and a handler finds it without a call.
inline constinit thread_local state* current = nullptr;

/// Longer than the endpoint, whose close may still run handlers.
struct current_scope {
  explicit current_scope(state* here) {
    if (current != nullptr)
      throw error(AM_USAGE_OTHER_THREAD, "a second am::splitc::world needs a thread of its own");
    current = here;
  }
  current_scope(const current_scope&) = delete;
  current_scope& operator=(const current_scope&) = delete;
  ~current_scope() { current = nullptr; }
};

struct state {
  explicit state(endpoint joined)
      : scope(this), ep(std::move(joined)), rank(ep.rank()), ranks(ep.ranks()), all(ep) {}
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    if (is_checked && unsynced != 0 && std::uncaught_exceptions() == unwinding)
      std::fprintf(stderr,
                   "am::splitc: rank %u: gets or puts without a sync(): %zu, the last at %s:%u\n",
                   rank, unsynced, last_unsynced.file, last_unsynced.line);
  }

  std::size_t outstanding = 0;  // gets and puts that have not ended
  word sent = 0;                // bytes of stores by this rank, to others and to itself
  word received = 0;            // bytes of stores to this rank
  word taken = 0;               // of these, those that a store_sync has waited for
  const current_scope scope;
  endpoint ep;
  const rank_id rank;
  const rank_id ranks;
  team all;
  spare_memory spare;
  word memories = 0;  // that were made for spread arrays

  // In a checked build.
  std::size_t unsynced = 0;  // gets and puts since the last sync
  place last_unsynced{};
  std::vector<const spread_memory*> arrays;
  const int unwinding = std::uncaught_exceptions();
};

/// Runs handlers until `*count` is 0. What a posted function throws meanwhile leaves a later call:
/// the memory for which this one waits may be on the stack of its caller.
inline void wait_for_zero(state& s, std::size_t& count) {
  check(am_ep_wait(
      s.ep.raw(), [](void* c) { return *static_cast<const std::size_t*>(c) == 0 ? 1 : 0; },
      &count));
}

inline void count_unsynced(state& s, place at) noexcept {
  if constexpr (is_checked) {
    ++s.unsynced;
    s.last_unsynced = at;
  }
}

inline std::string text_of(rank_id rank, const void* address) {
  char text[64];
  std::snprintf(text, sizeof text, "%p at rank %u", address, rank);
  return text;
}

/// An access that begins in the memory of a spread array must end there, too. That memory consists
/// of whole pages, so this finds most accesses behind its end, as well.
inline void check_bounds(const state& s, rank_id rank, const std::byte* from, std::size_t bytes,
                         place at) {
  constexpr std::size_t page = 4096;
  for (const spread_memory* array : s.arrays) {
    const std::size_t used = array->elements_at(rank) * array->element;
    const auto offset = static_cast<std::size_t>(from - array->parts[rank]);
    if (offset >= (array->memory.size() + page - 1) / page * page) continue;
    if (bytes > used || offset > used - bytes)
      fail_at(at, AM_ARGUMENT_SIZE,
              std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                  " on of a spread array's memory at rank " + std::to_string(rank) +
                  ", which has " + std::to_string(used));
  }
}

/// In a checked build: may `bytes` at this address of that rank be accessed, as far as is known?
inline void check_access(rank_id rank, const void* address, std::size_t bytes, place at) {
  if constexpr (is_checked) {
    if (current == nullptr) fail_at(at, AM_USAGE_LEFT, "this thread has no am::splitc::world");
    if (rank >= current->ranks)
      fail_at(at, AM_ARGUMENT_RANK,
              "a global pointer to rank " + std::to_string(rank) + ": this job has ranks 0 to " +
                  std::to_string(current->ranks - 1));
    if (address == nullptr && bytes != 0) fail_at(at, AM_ARGUMENT_ADDRESS, "a null global pointer");
    check_bounds(*current, rank, static_cast<const std::byte*>(address), bytes, at);
  }
}

}  // namespace am::detail::splitc

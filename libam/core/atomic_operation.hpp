// Reads and changes one word in one step, by this processor: atomic with all others that do so.
#pragma once

#include <am/am.h>

#include <atomic>

namespace am::detail::core {

constexpr bool is_operation(am_word op) noexcept { return op <= AM_COMPARE_SWAP; }

// Returns the word before the operation.
inline am_word apply(am_word& place, am_atomic_op op, am_word operand, am_word expected) noexcept {
  const std::atomic_ref<am_word> word(place);
  switch (op) {
    case AM_FETCH_ADD: return word.fetch_add(operand);
    case AM_EXCHANGE: return word.exchange(operand);
    case AM_COMPARE_SWAP: word.compare_exchange_strong(expected, operand); return expected;
  }
  return 0;
}

}  // namespace am::detail::core

// Functions that run at the rank of their operand, between two messages; and the atomic operations
// of libam on one word.
#pragma once

#include <am/detail/splitc_pointer.hpp>

#include <functional>

namespace am::detail::splitc {

/// Room for a result of up to two words, at the caller.
struct result_slot {
  std::size_t outstanding = 0;
  std::array<std::byte, most_in_words> bytes{};

  template <class Result>
  [[nodiscard]] Result wait(state& s) {
    wait_for_zero(s, outstanding);
    std::array<std::byte, sizeof(Result)> result;
    std::memcpy(result.data(), bytes.data(), sizeof(Result));
    return std::bit_cast<Result>(result);
  }
};

template <auto Function, class T, class... Args>
using result_of = std::invoke_result_t<decltype(Function), T&, const Args&...>;

/// `there` is of T, `at` of a result_slot.
template <auto Function, class T, class... Args>
void serve_atomic(request_token t, void* there, void* at, Args... args) {
  using result = result_of<Function, T, Args...>;
  T& operand = *static_cast<T*>(there);
  auto* const slot = static_cast<result_slot*>(at);
  if constexpr (std::is_void_v<result>) {
    std::invoke(Function, operand, args...);
    t.reply<end_put>(&slot->outstanding);
  } else {
    const result value = std::invoke(Function, operand, args...);
    const auto [first, second] = words_of<sizeof value>(reinterpret_cast<const std::byte*>(&value));
    t.reply<end_get<sizeof value>>(slot->bytes.data(), &slot->outstanding, first, second);
  }
}

template <auto Function, class T, class... Args>
result_of<Function, T, Args...> run_atomic(state& s, am::splitc::global_ptr<T> g,
                                           const Args&... args) {
  using result = result_of<Function, T, Args...>;
  static_assert(sizeof...(Args) <= 2, "am: an atomic function takes at most two values");
  if constexpr (!std::is_void_v<result>)
    static_assert(std::is_trivially_copyable_v<result> && sizeof(result) <= most_in_words,
                  "am: an atomic function returns up to 16 bytes, trivially copyable");
  if (g.rank() == s.rank) return std::invoke(Function, *g.address(), args...);
  result_slot slot;
  s.ep.request<serve_atomic<Function, T, Args...>>(g.rank(), g.address(), &slot, args...);
  ++slot.outstanding;
  if constexpr (std::is_void_v<result>)
    wait_for_zero(s, slot.outstanding);
  else
    return slot.wait<result>(s);
}

// ---- the atomic operations of libam -------------------------------------------------------------

inline void end_word(reply_token, word before, void* at) {
  auto* const slot = static_cast<result_slot*>(at);
  std::memcpy(slot->bytes.data(), &before, sizeof before);
  --slot->outstanding;
}

/// Returns what the word was before.
template <class T>
T change_word(state& s, am::splitc::global_ptr<T> g, am_atomic_op op, T operand, T expected = {}) {
  static_assert(sizeof(T) == sizeof(word),
                "am: an atomic operation changes 8 bytes: use atomic<function>() for others");
  static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>,
                "am: an atomic operation compares all bits: use atomic<function>() for others");
  result_slot slot;
  detail::atomic<end_word>(s.ep.raw(), g.rank(), reinterpret_cast<word*>(g.address()), op,
                           std::bit_cast<word>(operand), std::bit_cast<word>(expected), &slot);
  ++slot.outstanding;
  return slot.wait<T>(s);
}

}  // namespace am::detail::splitc

// Checks the values of bulk calls against the handler that gets them, and packs them into words.
// Included by am.hpp alone.
#pragma once

#include <am/detail/handler.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace am {

/// Bytes that a call reads.
using bytes_in = std::span<const std::byte>;
/// Bytes that a call writes.
using bytes_out = std::span<std::byte>;

namespace detail {

// A handler whose first parameters are the place and size of bulk data.
template <auto Handler, class Token>
constexpr const am_handler* bulk_handler() {
  check_handler<Handler, Token>();
  static_assert(is_bulk<Handler>,
                "am: bulk data takes a handler whose parameters are a token, void* where, "
                "std::size_t bytes, values...");
  return &entry_of<Handler>::entry;
}

template <auto Handler, std::size_t First, class... Values, std::size_t... I>
words pack_from(std::index_sequence<I...>, const Values&... values) {
  static_assert((std::is_convertible_v<const Values&, param<Handler, First + I>> && ...),
                "am: these values do not convert to those that the handler takes");
  return pack<param<Handler, First + I>...>(static_cast<param<Handler, First + I>>(values)...);
}

// The words of a handler whose values begin at parameter `First`.
template <auto Handler, std::size_t First, class... Values>
words pack_for(const Values&... values) {
  static_assert(sizeof...(Values) + First == arity<Handler>,
                "am: this handler takes another number of values");
  if constexpr (sizeof...(Values) + First == arity<Handler>)
    return pack_from<Handler, First>(std::index_sequence_for<Values...>{}, values...);
  else
    return {};
}

// A handler that ends an atomic operation: it takes the word that was there, then values.
template <auto Handler>
constexpr const am_handler* atomic_handler() {
  check_handler<Handler, reply_token>();
  static_assert(arity<Handler> >= 1 && std::is_same_v<param<Handler, 0>, word>,
                "am: an atomic operation ends in a handler whose first value is an am::word");
  return &entry_of<Handler>::entry;
}

}  // namespace detail
}  // namespace am

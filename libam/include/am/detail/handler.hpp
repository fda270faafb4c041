// C++ handlers: reads their signature, packs their values into words, and makes the C entry that
// libam calls. Included by am.hpp alone.
#pragma once

#include <am/am.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace am {

/// One argument of a message.
using word = am_word;
/// A process of the job, 0 to ranks - 1.
using rank_id = am_rank;

class request_token;
class reply_token;

/// In a request, behind the rank: room for an answer of `bytes`.
struct reply_room {
  /// At most endpoint::max_medium().
  explicit constexpr reply_room(std::size_t for_bytes) noexcept : bytes(for_bytes) {}
  std::size_t bytes;  ///< that the answer may have
};

/// The name that the ranks agree on when they do not all run the same file; AM_HANDLER sets it.
template <auto Handler>
inline constexpr const char* handler_name = nullptr;
/// AM_HANDLER_OF_LIBRARY for handlers of a library over libam; specialized before their first use.
template <auto Handler>
inline constexpr std::uint32_t handler_flags = 0;

namespace detail {

using payload = std::span<const std::byte>;

template <class Function>
struct signature {
  static constexpr bool is_handler = false;
  using token = void;
  using params = std::tuple<>;
};

template <class Token, class... Params>
struct signature<void(Token, Params...)> {
  static constexpr bool is_handler =
      std::is_same_v<Token, request_token> || std::is_same_v<Token, reply_token>;
  using token = Token;
  using params = std::tuple<std::remove_cvref_t<Params>...>;
};

template <class Return, class... Params>
struct signature<Return (*)(Params...)> : signature<Return(Params...)> {};
template <class Return, class... Params>
struct signature<Return (*)(Params...) noexcept> : signature<Return(Params...)> {};
template <class Return, class Class, class... Params>
struct signature<Return (Class::*)(Params...) const> : signature<Return(Params...)> {};
template <class Return, class Class, class... Params>
struct signature<Return (Class::*)(Params...) const noexcept> : signature<Return(Params...)> {};

template <class T>
concept closure = requires {
  &T::operator();
};

template <class Function>
constexpr auto signature_of() {
  if constexpr (closure<Function>) {
    return signature<decltype(&Function::operator())>{};
  } else {
    return signature<Function>{};
  }
}

template <auto Handler>
using sig = decltype(signature_of<std::remove_cvref_t<decltype(Handler)>>());

template <auto Handler>
using params = typename sig<Handler>::params;

// How many values follow the token; the payload of a medium handler counts as one.
template <auto Handler>
inline constexpr std::size_t arity = std::tuple_size_v<params<Handler>>;

// A handler that is called with N values.
template <class Function, std::size_t N>
concept with_values =
    std::tuple_size<typename decltype(signature_of<std::remove_cv_t<Function>>())::params>::value ==
    N;

// Has no type beyond the last parameter, so that an overload with too many drops out.
template <auto Handler, std::size_t I, bool InRange = (I < arity<Handler>)>
struct param_at {};
template <auto Handler, std::size_t I>
struct param_at<Handler, I, true> {
  using type = std::tuple_element_t<I, params<Handler>>;
};
template <auto Handler, std::size_t I>
using param = typename param_at<Handler, I>::type;

// Values of a request with room, which has an overload of its own.
template <class... Values>
inline constexpr bool begins_with_room = false;
template <class First, class... Rest>
inline constexpr bool begins_with_room<First, Rest...> =
    std::is_same_v<std::remove_cvref_t<First>, reply_room>;

// Chooses the overload that explains what is wrong with these values.
template <auto Handler, class... Values>
using if_values_mismatch =
    std::enable_if_t<!begins_with_room<Values...> &&
                     (!std::is_convertible_v<std::tuple<Values&&...>, params<Handler>> ||
                      (arity<Handler> > AM_WORDS + 1))>;

template <class Params>
struct takes_payload : std::false_type {};
template <class... Rest>
struct takes_payload<std::tuple<payload, Rest...>> : std::true_type {};

template <auto Handler>
inline constexpr bool is_medium = takes_payload<params<Handler>>::value;

template <class Params>
struct takes_bulk : std::false_type {};
template <class... Rest>
struct takes_bulk<std::tuple<void*, std::size_t, Rest...>> : std::true_type {};

template <auto Handler>
inline constexpr bool is_bulk = takes_bulk<params<Handler>>::value;

// ---- values and words ---------------------------------------------------------------------------

using words = std::array<word, AM_WORDS>;

template <class... Values>
inline constexpr bool one_struct = sizeof...(Values) == 1 &&
                                   ((sizeof(Values) > sizeof(word)) && ...);

template <class... Values>
constexpr void check_values() {
  static_assert((std::is_trivially_copyable_v<Values> && ...),
                "am: a handler's values travel as bytes: each must be trivially copyable");
  static_assert(sizeof...(Values) <= AM_WORDS, "am: a handler takes at most four values");
  static_assert(one_struct<Values...> || ((sizeof(Values) <= sizeof(word)) && ...),
                "am: a handler takes up to four values of at most 8 bytes, or one struct of at "
                "most 32");
  static_assert(((sizeof(Values) <= sizeof(words)) && ...),
                "am: a struct of more than 32 bytes does not fit the words: send it as payload");
}

template <class... Values>
inline words pack(const Values&... values) {
  check_values<Values...>();
  words out{};
  if constexpr (sizeof...(Values) > 0) {
    auto* at = out.data();
    (std::memcpy(at++, &values, sizeof(Values)), ...);
  }
  return out;
}

template <class Value>
inline Value value_at(const word* from) {
  std::remove_const_t<Value> value;
  // As void*: a class may have default values and be trivially copyable.
  std::memcpy(static_cast<void*>(&value), from, sizeof value);
  return value;
}

// ---- the entry that libam calls -----------------------------------------------------------------

template <auto Handler>
consteval auto make_label() {
  std::string_view all = __PRETTY_FUNCTION__;
  const auto start = all.find("Handler = ") + std::string_view("Handler = ").size();
  all = all.substr(start, all.find_last_of(']') - start);
  all = all.substr(0, all.find(';'));
  std::array<char, 96> label{};
  for (std::size_t i = 0; i < all.size() && i + 1 < label.size(); ++i) label[i] = all[i];
  return label;
}

template <auto Handler>
inline constexpr auto label_of = make_label<Handler>();

// The name of a handler of these headers in messages to users.
template <auto Handler>
inline constexpr const char* own_label = nullptr;

struct registered_handler : am_handler {
  registered_handler(am_handler_fn* entry, const char* agreed, const char* shown,
                     std::uint32_t with)
      : am_handler{entry, agreed, shown, nullptr, AM_HANDLER_UNNUMBERED, with} {
    am_handler_register(this);
  }
  registered_handler(const registered_handler&) = delete;
  registered_handler& operator=(const registered_handler&) = delete;
  ~registered_handler() { am_handler_unregister(this); }
};

// Runs a handler: an exception that it throws ends the job, with its name.
template <class Call>
inline void guard_handler([[maybe_unused]] am_token raw, [[maybe_unused]] const char* label,
                          Call&& call) {
#if defined(__cpp_exceptions)
  try {
    call();
  } catch (const std::exception& e) {
    am_token_threw(raw, label, e.what());
  } catch (...) {
    am_token_threw(raw, label, "an exception that is not a std::exception");
  }
#else
  call();
#endif
}

template <auto Handler>
struct entry_of {
  static constexpr const char* label = handler_name<Handler> != nullptr ? handler_name<Handler>
                                       : own_label<Handler> != nullptr  ? own_label<Handler>
                                                                        : label_of<Handler>.data();

  template <class... Values, std::size_t... I>
  static void call(am_token raw, const word* from, std::tuple<Values...>*,
                   std::index_sequence<I...>) {
    check_values<Values...>();
    Handler(typename sig<Handler>::token{raw}, value_at<Values>(from + I)...);
  }
  template <class... Values, std::size_t... I>
  static void call(am_token raw, const word* from, payload data, std::tuple<payload, Values...>*,
                   std::index_sequence<I...>) {
    check_values<Values...>();
    Handler(typename sig<Handler>::token{raw}, data, value_at<Values>(from + I)...);
  }
  template <class... Values, std::size_t... I>
  static void call(am_token raw, const word* from, void* where, std::size_t bytes,
                   std::tuple<void*, std::size_t, Values...>*, std::index_sequence<I...>) {
    check_values<Values...>();
    Handler(typename sig<Handler>::token{raw}, where, bytes, value_at<Values>(from + I)...);
  }
  static void dispatch(am_token raw, const word* from, const void* data, std::size_t bytes) {
    params<Handler>* none = nullptr;
    if constexpr (is_bulk<Handler>) {
      call(raw, from, const_cast<void*>(data), bytes, none,
           std::make_index_sequence<arity<Handler> - 2>{});
    } else if constexpr (is_medium<Handler>) {
      call(raw, from, payload(static_cast<const std::byte*>(data), bytes), none,
           std::make_index_sequence<arity<Handler> - 1>{});
    } else {
      call(raw, from, none, std::make_index_sequence<arity<Handler>>{});
    }
  }
  static void thunk(am_token raw, const word* from, const void* data, std::size_t bytes) {
    guard_handler(raw, label, [&] { dispatch(raw, from, data, bytes); });
  }
  static inline registered_handler entry{&thunk, handler_name<Handler>, label,
                                         handler_flags<Handler>};
};

template <auto Handler, class Token>
constexpr void check_handler() {
  static_assert(
      sig<Handler>::is_handler,
      "am: a handler is a function void(am::request_token or am::reply_token, values...)");
  static_assert(!std::is_same_v<Token, request_token> ||
                    std::is_same_v<typename sig<Handler>::token, request_token>,
                "am: a request takes a handler whose first parameter is an am::request_token");
  static_assert(!std::is_same_v<Token, reply_token> ||
                    std::is_same_v<typename sig<Handler>::token, reply_token>,
                "am: a reply takes a handler whose first parameter is an am::reply_token");
}

template <auto Handler>
constexpr void check_not_bulk() {
  static_assert(
      !is_bulk<Handler>,
      "am: a handler of (token, void*, std::size_t, ...) takes bulk data: store or get it");
}

// Explains what is wrong with the values of a call.
template <auto Handler, class... Values>
constexpr void explain_values() {
  check_not_bulk<Handler>();
  static_assert(arity<Handler> <= AM_WORDS + is_medium<Handler>,
                "am: a handler takes at most four values");
  static_assert(sizeof...(Values) == arity<Handler>,
                "am: this handler takes another number of values");
  static_assert(sizeof...(Values) != arity<Handler>,
                "am: these values do not convert to those that the handler takes");
}

template <class>
inline constexpr bool always_false = false;

}  // namespace detail
}  // namespace am

// The messages of Split-C. A get or a put is a request and its reply, which counts down at the
// caller; a store is a request, whose handler counts bytes. Up to two words travel in the request
// or reply, more as bulk data.
//
// Counts go up after the call that may throw. Its reply may come before, inside that call: the
// count wraps around and is right again when the call has returned.
#pragma once

#include <am/detail/splitc_state.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

namespace am::detail::splitc {

inline constexpr std::size_t most_in_words = 2 * sizeof(word);

/// A value in the words of a message.
struct value_words {
  word first = 0;
  word second = 0;
};
template <std::size_t Bytes>
value_words words_of(const std::byte* at) noexcept {
  static_assert(Bytes <= most_in_words);
  value_words value;
  std::memcpy(&value.first, at, std::min(Bytes, sizeof value.first));
  if constexpr (Bytes > sizeof value.first)
    std::memcpy(&value.second, at + sizeof value.first, Bytes - sizeof value.first);
  return value;
}
template <std::size_t Bytes>
void copy_words(std::byte* to, word first, [[maybe_unused]] word second) noexcept {
  static_assert(Bytes <= most_in_words);
  std::memcpy(to, &first, std::min(Bytes, sizeof first));
  if constexpr (Bytes > sizeof first) std::memcpy(to + sizeof first, &second, Bytes - sizeof first);
}

// ---- get ----------------------------------------------------------------------------------------

template <std::size_t Bytes>
void end_get(reply_token, std::byte* here, std::size_t* outstanding, word first, word second) {
  copy_words<Bytes>(here, first, second);
  --*outstanding;
}
template <std::size_t Bytes>
void serve_get(request_token t, const std::byte* there, std::byte* here, std::size_t* outstanding) {
  const auto [first, second] = words_of<Bytes>(there);
  t.reply<end_get<Bytes>>(here, outstanding, first, second);
}
inline void end_bulk_get(reply_token, void*, std::size_t, std::size_t* outstanding) {
  --*outstanding;
}

inline void get_bulk(state& s, std::byte* here, rank_id rank, const std::byte* there,
                     std::size_t bytes, std::size_t& outstanding) {
  if (rank == s.rank) {
    if (bytes != 0) std::memmove(here, there, bytes);
    return;
  }
  s.ep.get<end_bulk_get>(rank, there, std::span(here, bytes), &outstanding);
  ++outstanding;
}
/// `outstanding` is 0 again when the value is here.
template <std::size_t Bytes>
void get_value(state& s, std::byte* here, rank_id rank, const std::byte* there,
               std::size_t& outstanding) {
  if constexpr (Bytes > most_in_words) {
    get_bulk(s, here, rank, there, Bytes, outstanding);
  } else if (rank == s.rank) {
    std::memmove(here, there, Bytes);
  } else {
    s.ep.request<serve_get<Bytes>>(rank, there, here, &outstanding);
    ++outstanding;
  }
}

// ---- put ----------------------------------------------------------------------------------------

inline void end_put(reply_token, std::size_t* outstanding) { --*outstanding; }
template <std::size_t Bytes>
void serve_put(request_token t, std::byte* there, std::size_t* outstanding, word first,
               word second) {
  copy_words<Bytes>(there, first, second);
  t.reply<end_put>(outstanding);
}
inline void serve_bulk_put(request_token t, void*, std::size_t, std::size_t* outstanding) {
  t.reply<end_put>(outstanding);
}

inline void put_bulk(state& s, rank_id rank, std::byte* there, const std::byte* here,
                     std::size_t bytes, std::size_t& outstanding) {
  if (rank == s.rank) {
    if (bytes != 0) std::memmove(there, here, bytes);
    return;
  }
  s.ep.store<serve_bulk_put>(rank, there, std::span(here, bytes), &outstanding);
  ++outstanding;
}
/// `outstanding` is 0 again when the value is there.
template <std::size_t Bytes>
void put_value(state& s, rank_id rank, std::byte* there, const std::byte* here,
               std::size_t& outstanding) {
  if constexpr (Bytes > most_in_words) {
    put_bulk(s, rank, there, here, Bytes, outstanding);
  } else if (rank == s.rank) {
    std::memmove(there, here, Bytes);
  } else {
    const auto [first, second] = words_of<Bytes>(here);
    s.ep.request<serve_put<Bytes>>(rank, there, &outstanding, first, second);
    ++outstanding;
  }
}

// ---- store --------------------------------------------------------------------------------------

template <std::size_t Bytes>
void serve_store(request_token, std::byte* there, word first, word second) {
  copy_words<Bytes>(there, first, second);
  current->received += Bytes;
}
inline void serve_bulk_store(request_token, void*, std::size_t bytes) {
  current->received += bytes;
}

inline void store_bulk(state& s, rank_id rank, std::byte* there, const std::byte* here,
                       std::size_t bytes) {
  if (rank != s.rank) {
    s.ep.store<serve_bulk_store>(rank, there, std::span(here, bytes));
  } else {
    if (bytes != 0) std::memmove(there, here, bytes);
    s.received += bytes;
  }
  s.sent += bytes;
}
template <std::size_t Bytes>
void store_value(state& s, rank_id rank, std::byte* there, const std::byte* here) {
  if constexpr (Bytes > most_in_words) {
    store_bulk(s, rank, there, here, Bytes);
  } else {
    if (rank != s.rank) {
      const auto [first, second] = words_of<Bytes>(here);
      s.ep.request<serve_store<Bytes>>(rank, there, first, second);
    } else {
      std::memmove(there, here, Bytes);
      s.received += Bytes;
    }
    s.sent += Bytes;
  }
}

// ---- what blocks --------------------------------------------------------------------------------

/// Room for a value that a reply brings: T need not be default constructible.
template <class T>
struct arriving {
  std::size_t outstanding = 0;
  alignas(T) std::array<std::byte, sizeof(T)> bytes;

  [[nodiscard]] T wait(state& s) {
    wait_for_zero(s, outstanding);
    return std::bit_cast<T>(bytes);
  }
};

template <class T>
T read_value(state& s, rank_id rank, const T* there) {
  if (rank == s.rank) return *there;
  arriving<T> value;
  get_value<sizeof(T)>(s, value.bytes.data(), rank, reinterpret_cast<const std::byte*>(there),
                       value.outstanding);
  return value.wait(s);
}
template <class T>
void write_value(state& s, rank_id rank, T* there, const T& value) {
  std::size_t outstanding = 0;
  put_value<sizeof(T)>(s, rank, reinterpret_cast<std::byte*>(there),
                       reinterpret_cast<const std::byte*>(&value), outstanding);
  if (outstanding != 0) wait_for_zero(s, outstanding);
}

}  // namespace am::detail::splitc

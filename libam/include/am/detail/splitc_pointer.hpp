// Global pointers, and the references that reading and writing through them takes.
#pragma once

#include <am/detail/splitc_messages.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace am::splitc {

template <class T>
class reference;

/// A rank and an address there, in two words: trivially copyable, so it can be a value of a message
/// or an element of an array. Arithmetic changes the address. T may be const.
template <class T>
class global_ptr {
 public:
  /// Null.
  constexpr global_ptr() noexcept = default;
  /// To an address of that rank, which that rank knows: addresses differ from rank to rank.
  constexpr global_ptr(rank_id rank, T* address) noexcept : rank_(rank), address_(address) {}
  /// To the same as const.
  constexpr operator global_ptr<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {rank(), address_};
  }

  /// The rank that has the memory: Split-C's toproc.
  [[nodiscard]] constexpr rank_id rank() const noexcept { return static_cast<rank_id>(rank_); }
  /// The address there.
  [[nodiscard]] constexpr T* address() const noexcept { return address_; }
  /// The address, of a pointer to this rank: Split-C's tolocal.
  [[nodiscard]] T* local(detail::splitc::place at = detail::splitc::place::here()) const {
    if constexpr (detail::splitc::is_checked) {
      detail::splitc::check_access(rank(), address_, 0, at);
      if (rank() != detail::splitc::current->rank)
        detail::splitc::fail_at(at, AM_ARGUMENT_RANK,
                                "local: " + detail::splitc::text_of(rank(), address_) +
                                    " is not of this rank, " +
                                    std::to_string(detail::splitc::current->rank));
    }
    return address_;
  }
  /// Not null.
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return address_ != nullptr; }

  /// What it points to.
  friend reference<T> operator*(detail::splitc::located<global_ptr> p) { return {p.operand, p.at}; }
  /// The n-th behind it, at the same rank.
  reference<T> operator[](detail::splitc::index n) const {
    return {*this + static_cast<std::ptrdiff_t>(n.value), n.at};
  }

  /// The address moves by elements. @{
  constexpr global_ptr& operator+=(std::ptrdiff_t n) noexcept {
    address_ += n;
    return *this;
  }
  constexpr global_ptr& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  constexpr global_ptr& operator++() noexcept { return *this += 1; }
  constexpr global_ptr& operator--() noexcept { return *this += -1; }
  constexpr global_ptr operator++(int) noexcept {
    const global_ptr before = *this;
    ++*this;
    return before;
  }
  constexpr global_ptr operator--(int) noexcept {
    const global_ptr before = *this;
    --*this;
    return before;
  }
  friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) noexcept { return p += n; }
  friend constexpr global_ptr operator+(std::ptrdiff_t n, global_ptr p) noexcept { return p += n; }
  friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) noexcept { return p -= n; }
  /// Of two pointers to one rank.
  friend constexpr std::ptrdiff_t operator-(global_ptr a, global_ptr b) noexcept {
    return a.address_ - b.address_;
  }
  /// @}
  /// By rank, then by address. @{
  friend constexpr bool operator==(global_ptr, global_ptr) noexcept = default;
  friend constexpr auto operator<=>(global_ptr, global_ptr) noexcept = default;
  /// @}

 private:
  word rank_ = 0;  // a whole word, so that there is no padding
  T* address_ = nullptr;
};

}  // namespace am::splitc

namespace am::detail::splitc {

template <class T>
inline constexpr bool is_global_ptr = false;
template <class T>
inline constexpr bool is_global_ptr<am::splitc::global_ptr<T>> = true;

}  // namespace am::detail::splitc

namespace am::splitc {

/// Reads and writes what a global pointer points to: `x = *g` and `*g = x` each wait for an answer,
/// unless the memory is of this rank. It is no value: `auto x = *g` makes another reference.
template <class T>
class reference {
 public:
  using value_type = std::remove_const_t<T>;  ///< what is read

  /// `at`, for errors: where the program made it.
  reference(global_ptr<T> to, detail::splitc::place at) noexcept : to_(to), at_(at) {}
  /// Refers to the same.
  reference(const reference&) = default;

  /// Reads.
  operator value_type() const {
    detail::splitc::check_access(to_.rank(), to_.address(), sizeof(T), at_);
    return detail::splitc::read_value<value_type>(*detail::splitc::current, to_.rank(),
                                                  to_.address());
  }
  /// Writes.
  const reference& operator=(const value_type& value) const requires(!std::is_const_v<T>) {
    detail::splitc::check_access(to_.rank(), to_.address(), sizeof(T), at_);
    detail::splitc::write_value<T>(*detail::splitc::current, to_.rank(), to_.address(), value);
    return *this;
  }
  /// Reads there and writes here.
  const reference& operator=(const reference& other) const {
    return *this = static_cast<value_type>(other);
  }
  /// Reads a global pointer, and refers to what that points to.
  friend auto operator*(
      detail::splitc::located<reference> r) requires detail::splitc::is_global_ptr<value_type> {
    return *detail::splitc::located<value_type>(r.operand, r.at);
  }
  /// The pointer to it.
  [[nodiscard]] global_ptr<T> pointer() const noexcept { return to_; }

 private:
  static_assert(std::is_trivially_copyable_v<T>, "am: what travels must be trivially copyable");

  global_ptr<T> to_;
  detail::splitc::place at_;
};

/// The global pointer that a call with a global pointer or a reference uses. @{
template <class T>
[[nodiscard]] global_ptr<T> pointer_to(global_ptr<T> g) noexcept {
  return g;
}
template <class T>
[[nodiscard]] global_ptr<T> pointer_to(reference<T> r) noexcept {
  return r.pointer();
}
/// @}

}  // namespace am::splitc

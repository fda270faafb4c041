// Spread arrays: element i is at rank i % ranks. Pointers to them move over the ranks first.
#pragma once

#include <am/detail/splitc_pointer.hpp>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <span>

namespace am::detail::splitc {

template <class T>
am::splitc::global_ptr<T> element(const spread_memory& array, std::int64_t i) noexcept {
  const auto at = static_cast<std::uint64_t>(i);
  const auto rank = static_cast<rank_id>(at % array.ranks);
  return {rank, reinterpret_cast<T*>(array.parts[rank]) + at / array.ranks};
}
inline void check_index(const spread_memory& array, std::int64_t i, place at) {
  if constexpr (is_checked) {
    if (static_cast<std::uint64_t>(i) >= array.size)
      fail_at(
          at, AM_ARGUMENT_SIZE,
          "element " + std::to_string(i) + " of a spread array of " + std::to_string(array.size));
  }
}

}  // namespace am::detail::splitc

namespace am::splitc {

/// To an element of a spread array, or one behind its end. Arithmetic moves over the ranks first.
/// It is valid at this rank alone, as long as the array; a global_ptr made of it can be sent.
template <class T>
class spread_ptr {
 public:
  using difference_type = std::int64_t;  ///< of two pointers

  /// Points to no array.
  constexpr spread_ptr() noexcept = default;
  /// The pointer to element `index`.
  spread_ptr(const detail::splitc::spread_memory& array, std::int64_t index) noexcept
      : array_(&array), index_(index) {}

  /// In a checked build: points to an element?
  void check(detail::splitc::place at) const {
    if constexpr (detail::splitc::is_checked) {
      if (array_ == nullptr)
        detail::splitc::fail_at(at, AM_ARGUMENT_ADDRESS, "a null spread pointer");
      detail::splitc::check_index(*array_, index_, at);
    }
  }
  /// The element's index.
  [[nodiscard]] std::int64_t index() const noexcept { return index_; }
  /// The rank of the element.
  [[nodiscard]] rank_id rank() const noexcept { return global().rank(); }
  /// The same element, for arithmetic at its rank and for other ranks.
  [[nodiscard]] global_ptr<T> global() const noexcept {
    if constexpr (detail::splitc::is_checked)
      if (array_ == nullptr) return {};
    return detail::splitc::element<T>(*array_, index_);
  }

  /// What it points to.
  friend reference<T> operator*(detail::splitc::located<spread_ptr> p) {
    p.operand.check(p.at);
    return {p.operand.global(), p.at};
  }
  /// The n-th behind it, over the ranks first.
  reference<T> operator[](detail::splitc::index n) const {
    return *detail::splitc::located<spread_ptr>(*this + n.value, n.at);
  }

  /// The index moves. @{
  spread_ptr& operator+=(std::int64_t n) noexcept {
    index_ += n;
    return *this;
  }
  spread_ptr& operator-=(std::int64_t n) noexcept { return *this += -n; }
  spread_ptr& operator++() noexcept { return *this += 1; }
  spread_ptr& operator--() noexcept { return *this += -1; }
  spread_ptr operator++(int) noexcept { return spread_ptr(*array_, index_++); }
  spread_ptr operator--(int) noexcept { return spread_ptr(*array_, index_--); }
  friend spread_ptr operator+(spread_ptr p, std::int64_t n) noexcept { return p += n; }
  friend spread_ptr operator+(std::int64_t n, spread_ptr p) noexcept { return p += n; }
  friend spread_ptr operator-(spread_ptr p, std::int64_t n) noexcept { return p -= n; }
  /// Of two pointers into one array.
  friend std::int64_t operator-(spread_ptr a, spread_ptr b) noexcept { return a.index_ - b.index_; }
  /// @}
  /// By index, of pointers into one array. @{
  friend bool operator==(spread_ptr, spread_ptr) noexcept = default;
  friend auto operator<=>(spread_ptr a, spread_ptr b) noexcept { return a.index_ <=> b.index_; }
  /// @}

 private:
  const detail::splitc::spread_memory* array_ = nullptr;
  std::int64_t index_ = 0;
};

/// The global pointer that a call with a spread pointer uses.
template <class T>
[[nodiscard]] global_ptr<T> pointer_to(spread_ptr<T> p) noexcept {
  return p.global();
}

/// n elements, all zero at first, the i-th at rank i % ranks: made by world::spread. Its destructor
/// completes this rank's gets and puts and is a barrier; no store to the array may be under way
/// then. Where an exception unwinds it waits for nothing, and the memory stays until the world
/// ends.
template <class T>
class spread_array {
  using memory = detail::splitc::spread_memory;

 public:
  /// Used by world::spread.
  explicit spread_array(std::unique_ptr<memory> array) : array_(std::move(array)) {
    if constexpr (detail::splitc::is_checked)
      detail::splitc::current->arrays.push_back(array_.get());
  }
  /// The other is empty afterwards, and only to be destroyed.
  spread_array(spread_array&&) noexcept = default;
  /// Swaps the two.
  spread_array& operator=(spread_array&& other) noexcept {
    std::swap(array_, other.array_);
    return *this;
  }
  ~spread_array() { release(); }

  /// The elements of all ranks.
  [[nodiscard]] std::size_t size() const noexcept { return array_->size; }
  /// Element i.
  [[nodiscard]] reference<T> operator[](detail::splitc::index i) const {
    detail::splitc::check_index(*array_, i.value, i.at);
    return {detail::splitc::element<T>(*array_, i.value), i.at};
  }
  /// The pointer to element i.
  [[nodiscard]] global_ptr<T> pointer(detail::splitc::index i) const {
    return (*this)[i].pointer();
  }
  /// The pointer to the first element.
  [[nodiscard]] spread_ptr<T> begin() const noexcept { return {*array_, 0}; }
  /// The pointer behind the last one.
  [[nodiscard]] spread_ptr<T> end() const noexcept {
    return {*array_, static_cast<std::int64_t>(size())};
  }

  /// Element i, which is of this rank.
  [[nodiscard]] T& local(detail::splitc::index i) const {
    detail::splitc::check_index(*array_, i.value, i.at);
    return *detail::splitc::element<T>(*array_, i.value).local(i.at);
  }
  /// The elements of this rank: those with the indices rank, rank + ranks and so on.
  [[nodiscard]] std::span<T> mine() const noexcept {
    return {reinterpret_cast<T*>(array_->parts[array_->me]), array_->elements_at(array_->me)};
  }
  /// The pointer to the first element of that rank; the others follow there.
  [[nodiscard]] global_ptr<T> part(rank_id rank,
                                   detail::splitc::place at = detail::splitc::place::here()) const {
    detail::splitc::check_access(rank, this, 0, at);
    return {rank, reinterpret_cast<T*>(array_->parts[rank])};
  }

 private:
  static_assert(std::is_trivially_copyable_v<T>, "am: what travels must be trivially copyable");

  void release() noexcept {
    detail::splitc::state* const here = detail::splitc::current;
    if (array_ == nullptr || here == nullptr) return;
    if constexpr (detail::splitc::is_checked) std::erase(here->arrays, array_.get());
    if (are_all_done(*here))
      here->spare.add(std::move(array_));
    else
      detail::splitc::keep_memory(array_.release());
  }
  // False: other ranks may still use the memory, or this rank's calls do.
  static bool are_all_done(detail::splitc::state& here) noexcept try {
    if (std::uncaught_exceptions() != here.unwinding) return false;
    detail::splitc::wait_for_zero(here, here.outstanding);
    here.all.barrier();
    return true;
  } catch (...) {
    return false;
  }

  std::unique_ptr<memory> array_;
};

}  // namespace am::splitc

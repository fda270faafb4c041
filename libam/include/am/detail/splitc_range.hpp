// The indices that are this rank's: Split-C's for_my_1d and for_my_2d, as ranges.
#pragma once

#include <cstddef>
#include <iterator>

namespace am::splitc {

/// The indices first, first + step and so on, below `end`.
class index_range {
 public:
  /// Where a loop stands.
  class iterator {
   public:
    using value_type = std::size_t;          ///< an index
    using difference_type = std::ptrdiff_t;  ///< for the standard library

    /// Of no range.
    iterator() noexcept = default;
    /// At this index, of a range that ends below `end`.
    iterator(std::size_t at, std::size_t step, std::size_t end) noexcept
        : at_(at), step_(step), end_(end) {}
    /// The index.
    std::size_t operator*() const noexcept { return at_; }
    /// The next one. @{
    iterator& operator++() noexcept {
      at_ += step_;
      return *this;
    }
    void operator++(int) noexcept { ++*this; }
    /// @}
    /// Is the range over?
    friend bool operator==(iterator i, std::default_sentinel_t) noexcept { return i.at_ >= i.end_; }

   private:
    std::size_t at_ = 0;
    std::size_t step_ = 0;
    std::size_t end_ = 0;
  };

  /// A step of 0 is not possible.
  index_range(std::size_t first, std::size_t end, std::size_t step) noexcept
      : first_(first), end_(end), step_(step) {}
  /// For loops.
  [[nodiscard]] iterator begin() const noexcept { return {first_, step_, end_}; }
  /// For loops.
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

 private:
  std::size_t first_;
  std::size_t end_;
  std::size_t step_;
};

/// The place of an element of a matrix.
struct index_2d {
  std::size_t row;     ///< from 0 on
  std::size_t column;  ///< from 0 on
};

/// The same of a matrix whose elements are dealt row by row.
class index_range_2d {
 public:
  /// Where a loop stands.
  class iterator {
   public:
    using value_type = index_2d;             ///< a place
    using difference_type = std::ptrdiff_t;  ///< for the standard library

    /// Of no range.
    iterator() noexcept = default;
    /// At this element.
    iterator(index_range::iterator at, std::size_t columns) noexcept : at_(at), columns_(columns) {}
    /// Its place.
    index_2d operator*() const noexcept { return {*at_ / columns_, *at_ % columns_}; }
    /// The next one. @{
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    void operator++(int) noexcept { ++*this; }
    /// @}
    /// Is the range over?
    friend bool operator==(const iterator& i, std::default_sentinel_t end) noexcept {
      return i.at_ == end;
    }

   private:
    index_range::iterator at_;
    std::size_t columns_ = 1;
  };

  /// The elements with these numbers, of rows with that many columns.
  index_range_2d(index_range elements, std::size_t columns) noexcept
      : elements_(elements), columns_(columns) {}
  /// For loops.
  [[nodiscard]] iterator begin() const noexcept { return {elements_.begin(), columns_}; }
  /// For loops.
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

 private:
  index_range elements_;
  std::size_t columns_;
};

}  // namespace am::splitc

// An array of zero bytes whose pages the system makes when they are first written: a table by rank
// takes memory only for the ranks that this one communicates with. Zero bytes have to be a valid
// state of `T`.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace am::detail::base {

template <class T>
class zeroed_array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> &&
                alignof(T) <= alignof(std::max_align_t));

 public:
  zeroed_array() noexcept = default;
  // Throws std::bad_alloc.
  explicit zeroed_array(std::size_t count) : all_(static_cast<T*>(std::calloc(count, sizeof(T)))) {
    if (all_ == nullptr && count != 0) throw std::bad_alloc();
  }

  [[nodiscard]] T& operator[](std::size_t index) noexcept { return all_.get()[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return all_.get()[index]; }
  [[nodiscard]] T* data() noexcept { return all_.get(); }
  [[nodiscard]] const T* data() const noexcept { return all_.get(); }

 private:
  struct release {
    void operator()(T* all) const noexcept { std::free(all); }
  };
  std::unique_ptr<T, release> all_;
};

}  // namespace am::detail::base

// Segments. Included by am.hpp alone.
#pragma once

#include <am/detail/bulk.hpp>

#include <cstddef>
#include <utility>

namespace am {

class endpoint;

/// Memory of this rank that others reach fastest. Not to be used after the endpoint has left.
class segment {
 public:
  /// Makes one here, all zero; others learn of it by themselves.
  segment(endpoint& ep, std::size_t bytes);
  /// Takes one over from the C interface.
  explicit segment(am_seg* raw) noexcept : raw_(raw) {}
  /// The other is empty afterwards.
  segment(segment&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  /// The two change places.
  segment& operator=(segment&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  /// Frees it: nobody may use it any more.
  ~segment() { am_seg_destroy(raw_); }

  /// Where it stands here.
  [[nodiscard]] void* address() const noexcept { return am_seg_address(raw_); }
  /// How many bytes were asked for.
  [[nodiscard]] std::size_t size() const noexcept { return am_seg_bytes(raw_); }
  /// All of it.
  [[nodiscard]] bytes_out bytes() const noexcept {
    return {static_cast<std::byte*>(address()), size()};
  }
  /// Where it stands at `rank`, if all made one; null otherwise.
  [[nodiscard]] void* address_at(rank_id rank) const noexcept {
    return am_seg_address_at(raw_, rank);
  }

 private:
  am_seg* raw_ = nullptr;
};

}  // namespace am

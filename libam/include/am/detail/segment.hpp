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
  /// Makes one here, all zero; others learn of it without a call.
  segment(endpoint& ep, std::size_t bytes);
  /// Takes ownership of one of the C interface.
  explicit segment(am_seg* raw) noexcept : raw_(raw) {}
  /// The other is empty afterwards.
  segment(segment&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  /// Swaps the two.
  segment& operator=(segment&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  /// Frees it: no rank may use it any more.
  ~segment() { am_seg_destroy(raw_); }

  /// Its address here.
  [[nodiscard]] void* address() const noexcept { return am_seg_address(raw_); }
  /// How many bytes were requested.
  [[nodiscard]] std::size_t size() const noexcept { return am_seg_bytes(raw_); }
  /// All of it.
  [[nodiscard]] bytes_out bytes() const noexcept {
    return {static_cast<std::byte*>(address()), size()};
  }
  /// Its address at `rank`, if all ranks made one; null otherwise.
  [[nodiscard]] void* address_at(rank_id rank) const noexcept {
    return am_seg_address_at(raw_, rank);
  }

 private:
  am_seg* raw_ = nullptr;
};

}  // namespace am

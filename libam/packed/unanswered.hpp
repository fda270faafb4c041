// The requests to one peer that may still be unanswered, as they were sent: if the connection is
// lost they are returned to the program.
#pragma once

#include <libam/seam/transport.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace am::detail::packed {

class unanswered_requests {
 public:
  struct request {
    std::uint32_t handler;
    std::uint32_t kept;  // bytes of the payload's beginning
    am_word words[AM_WORDS];
    std::byte payload[24];  // enough for the headers of libam's own messages
  };

  // Keeps the `window` newest. Throws std::bad_alloc.
  explicit unanswered_requests(std::uint32_t window)
      : mask_(std::bit_ceil(window) - 1),
        ring_(std::make_unique_for_overwrite<request[]>(std::size_t{mask_} + 1)) {}

  void add(std::uint32_t handler, const am_word* words,
           std::span<const std::byte> payload = {}) noexcept {
    request& one = ring_[count_++ & mask_];
    one.handler = handler;
    // One by one: a copy as a whole would wait until the caller's stores have completed.
    one.words[0] = words[0];
    one.words[1] = words[1];
    one.words[2] = words[2];
    one.words[3] = words[3];
    const auto kept = payload.first(std::min(payload.size(), sizeof one.payload));
    one.kept = static_cast<std::uint32_t>(kept.size());
    std::copy(kept.begin(), kept.end(), one.payload);
  }

  // Number `i` of the `count` newest, counted from the oldest.
  [[nodiscard]] const request& among_newest(std::uint32_t count, std::uint32_t i) const noexcept {
    return ring_[(count_ - count + i) & mask_];
  }

  // The lowest 16 bits of a request are its handler's number.
  [[nodiscard]] seam::request_ring request_ring_view() const noexcept {
    seam::request_ring ring;
    ring.first = ring_.get();
    ring.stride = sizeof(request);
    ring.words_at = offsetof(request, words);
    ring.noted = &count_;
    ring.mask = mask_;
    return ring;
  }

 private:
  const std::uint32_t mask_;
  std::uint32_t count_ = 0;  // since the start
  std::unique_ptr<request[]> ring_;
};

}  // namespace am::detail::packed

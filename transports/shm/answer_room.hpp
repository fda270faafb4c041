// The room for the payload of answers from one peer, in the requester's region: the requester says
// in each request where its answer goes, and whoever answers writes there. Core gives it out; here
// are its pages, which are reserved with the first request that has room, and as it grows.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <transports/shm/layout.hpp>
#include <transports/shm/places.hpp>

#include <cstddef>
#include <cstdint>

namespace am::detail::shm {

class answer_room {
 public:
  answer_room(am_rank from, am_rank to, const layout& places, base::shared_memory& memory) noexcept
      : begin_(places.answers_at(from, to)),
        kept_for_others_(places.message_bytes()),
        memory_(memory) {}

  // From now on it has so many bytes, at most as many as the layout has. Where there is little
  // memory, other pairs need more than its beginning more.
  am_status make(std::size_t bytes) noexcept {
    if (bytes <= bytes_) return AM_OK;
    if (bytes_ != 0 && memory_.room() < kept_for_others_ + bytes) return AM_RESOURCE_SPACE;
    const am_status status = memory_.reserve(begin_ + bytes_, bytes - bytes_);
    if (status == AM_OK) bytes_ = bytes;
    return status;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return bytes <= bytes_ && offset <= bytes_ - bytes;
  }
  // Of a place that lies in it.
  [[nodiscard]] const std::byte* at(std::uint64_t offset) const noexcept {
    return &object_at<std::byte>(memory_, begin_ + offset);
  }

 private:
  const std::size_t begin_;            // in the job's memory
  const std::size_t kept_for_others_;  // of the job's memory, when it grows
  std::size_t bytes_ = 0;
  base::shared_memory& memory_;
};

}  // namespace am::detail::shm

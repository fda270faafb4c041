// The room for the payload of answers from one peer, in the requester's region: each request says
// where its answer goes, and the target writes there. Core assigns the room; this class reserves
// its pages, with the first request that has room and whenever the room grows.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <transports/shm/layout.hpp>

#include <cstddef>
#include <cstdint>

namespace am::detail::shm {

class answer_room {
 public:
  answer_room(am_rank from, am_rank to, const layout& layout, base::shared_memory& memory) noexcept
      : begin_(layout.answers_at(from, to)),
        kept_for_others_(layout.message_bytes()),
        memory_(memory) {}

  // Makes the room `bytes` long, at most as long as the layout has it. Growth must leave enough
  // memory for the first messages of all other pairs.
  am_status make(std::size_t bytes) noexcept {
    if (bytes <= bytes_) return AM_OK;
    if (bytes_ != 0 && memory_.available() < kept_for_others_ + bytes) return AM_RESOURCE_SPACE;
    const am_status status = memory_.reserve(begin_ + bytes_, bytes - bytes_);
    if (status == AM_OK) bytes_ = bytes;
    return status;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return bytes <= bytes_ && offset <= bytes_ - bytes;
  }
  // `offset` must lie in the room.
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

// Writes the payload of mediums to one peer into their room in the job's memory. The pages are
// reserved with the first medium, since most pairs never have one. A room that is too small grows.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <libam/seam/boot.hpp>
#include <libam/wire/payload_room.hpp>
#include <transports/shm/layout.hpp>

#include <atomic>
#include <cstring>
#include <optional>

namespace am::detail::shm {

class payload_writer {
 public:
  using place = wire::payload_room::place;

  payload_writer(seam::boot& job, am_rank from, am_rank to, const layout& layout,
                 base::shared_memory& memory) noexcept;

  // AM_OK: the bytes are at `where`. AM_AGAIN_PAYLOAD: there is no room until the peer is done with
  // older payload.
  am_status put(const void* data, std::size_t bytes, place& where) noexcept {
    if (!reserved_) [[unlikely]] {
      if (const am_status status = reserve(); status != AM_OK) return status;
    }
    if (was_short_ && room_.may_grow(bytes)) [[unlikely]]
      grow();
    auto taken = room_.take(bytes);
    if (!taken) taken = reclaim_and_take(bytes);
    if (!taken) return AM_AGAIN_PAYLOAD;
    where = *taken;
    if (bytes != 0) std::memcpy(bytes_ + where.offset, data, bytes);
    return AM_OK;
  }

  // Takes back the room that the peer has released. True: there was some.
  [[nodiscard]] bool reclaim() noexcept;

  // Does that place lie in the room?
  [[nodiscard]] bool contains(std::uint32_t offset, std::uint32_t bytes) const noexcept {
    return payloads_.fits(offset, bytes);
  }
  // `offset` must lie in the room.
  [[nodiscard]] const std::byte* at(std::uint32_t offset) const noexcept { return bytes_ + offset; }

 private:
  am_status reserve() noexcept;
  std::optional<place> reclaim_and_take(std::size_t bytes) noexcept;
  void grow() noexcept;

  std::byte* const bytes_;
  const wire::payload_sizes payloads_;
  wire::payload_room room_;
  bool reserved_ = false;
  bool may_grow_ = true;
  bool was_short_ = false;
  const am_rank peer_;
  const std::atomic<std::uint32_t>& done_;
  const std::size_t begin_;            // of the room in the job's memory
  const std::size_t kept_for_others_;  // of the job's memory, by a room that grows
  base::shared_memory& memory_;
  seam::boot& job_;
};

}  // namespace am::detail::shm

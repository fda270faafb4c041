#include <transports/shm/accuse.hpp>
#include <transports/shm/payload_out.hpp>
#include <transports/shm/places.hpp>

namespace am::detail::shm {

payload_out::payload_out(seam::boot& job, am_rank from, am_rank to, const layout& places,
                         base::shared_memory& memory) noexcept
    : bytes_(&object_at<std::byte>(memory, places.payload_at(from, to))),
      payloads_(places.payloads()),
      room_(payloads_.room()),
      peer_(to),
      done_(object_at<channel_lines>(memory, places.lines_at(from, to)).payload_done),
      begin_(places.payload_at(from, to)),
      kept_for_others_(places.message_bytes()),
      memory_(memory),
      job_(job) {}

// Of what the target has done with. A room that is still too small grows, at its next end.
std::optional<payload_out::place> payload_out::make_room(std::size_t bytes) noexcept {
  (void)take_back();
  if (const auto taken = room_.take(bytes)) return taken;
  was_short_ = may_grow_;
  return std::nullopt;
}

// SYNC(payload): with the release in incoming::publish. The target is done with those bytes.
bool payload_out::take_back() noexcept {
  const std::uint32_t done = done_.load(std::memory_order_acquire);
  if (!room_.may_be(done)) [[unlikely]]
    accuse(job_, peer_, "it has done with {} bytes of payload, which were never sent", done);
  return room_.given_back(done);
}

am_status payload_out::reserve() noexcept {
  const am_status status = memory_.reserve(begin_, room_.size());
  reserved_ = status == AM_OK;
  return status;
}

// Where there is little memory, other pairs need it more.
void payload_out::grow() noexcept {
  was_short_ = false;
  const std::uint32_t size = room_.size();
  may_grow_ = size < payloads_.most_room() && memory_.room() >= kept_for_others_ + size &&
              memory_.reserve(begin_ + size, size) == AM_OK;
  if (may_grow_) room_.grow();
}

}  // namespace am::detail::shm

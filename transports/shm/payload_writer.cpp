#include <transports/shm/payload_writer.hpp>

#include <transports/shm/protocol_violation.hpp>

namespace am::detail::shm {

payload_writer::payload_writer(seam::boot& job, am_rank from, am_rank to, const layout& layout,
                               base::shared_memory& memory) noexcept
    : bytes_(&object_at<std::byte>(memory, layout.payload_at(from, to))),
      payloads_(layout.payloads()),
      room_(payloads_.room()),
      peer_(to),
      done_(object_at<channel_state>(memory, layout.channel_at(from, to)).payload_done),
      begin_(layout.payload_at(from, to)),
      kept_for_others_(layout.message_bytes()),
      memory_(memory),
      job_(job) {}

// A room that is still too small grows when the writer next comes to its end.
std::optional<payload_writer::place> payload_writer::reclaim_and_take(std::size_t bytes) noexcept {
  (void)reclaim();
  if (const auto taken = room_.take(bytes)) return taken;
  was_short_ = may_grow_;
  return std::nullopt;
}

// SYNC(payload): with the release in request_receiver::write_counters. The target is done with
// those bytes.
bool payload_writer::reclaim() noexcept {
  const std::uint32_t done = done_.load(std::memory_order_acquire);
  if (!room_.is_valid_counter(done)) [[unlikely]]
    report_violation(job_, peer_, "it has released {} bytes of payload that were never sent", done);
  return room_.update_released(done);
}

am_status payload_writer::reserve() noexcept {
  const am_status status = memory_.reserve(begin_, room_.size());
  reserved_ = status == AM_OK;
  return status;
}

// Growth must leave enough memory for the first messages of all other pairs.
void payload_writer::grow() noexcept {
  was_short_ = false;
  const std::uint32_t size = room_.size();
  may_grow_ = size < payloads_.most_room() && memory_.available() >= kept_for_others_ + size &&
              memory_.reserve(begin_ + size, size) == AM_OK;
  if (may_grow_) room_.grow();
}

}  // namespace am::detail::shm

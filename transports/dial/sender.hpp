// The sending end of a dialled rank: the overhead of sending, and the stamps. The message carries
// the time at which it leaves; the sender does not wait for that.
#pragma once

#include <libam/seam/transport.hpp>
#include <transports/dial/card.hpp>
#include <transports/dial/lanes.hpp>
#include <transports/dial/overhead.hpp>
#include <transports/dial/spinner.hpp>

namespace am::detail::dial {

class sender {
 public:
  sender(const seam::transport_context& context, lanes& all, const spinner& clock,
         dial::overhead busy, sender_card card)
      : context_(context),
        lanes_(all),
        clock_(clock),
        overhead_(busy),
        card_(card),
        sizes_(card.sizes()) {}

  // The processor is busy for the overhead of sending a message there; returns the time.
  ticks spend_overhead(am_rank to) noexcept {
    lanes_.to(to).prefetch();
    return began_ = overhead_.spend();
  }
  // The request that has spent the overhead last is over; the rank has done nothing else since.
  void end_request() noexcept {
    if (overhead_.is_whole()) overhead_.end(clock_.now() - began_);
  }
  // A message is handed to the card at `now`.
  void stamp_message(am_rank to, seam::message_class what, std::uint16_t transport, ticks now,
                     std::size_t bytes) noexcept {
    lane_writer& lane = lanes_.to(to);
    if (!lane.exists() && !open(to)) [[unlikely]]
      return;
    lane.add(card_.send(now, bytes),
             {what, bytes == 0, transport, static_cast<std::uint32_t>(sizes_.count(bytes))});
  }
  // The same for a message that carries no bytes of its own from here: when it leaves.
  ticks leave_of(ticks now, std::size_t bytes) noexcept { return card_.send(now, bytes); }

 private:
  // False: that rank has died.
  bool open(am_rank to) noexcept;

  const seam::transport_context context_;
  lanes& lanes_;
  const spinner& clock_;
  overhead overhead_;
  ticks began_ = 0;
  sender_card card_;
  const fragment_sizes sizes_;
};

}  // namespace am::detail::dial

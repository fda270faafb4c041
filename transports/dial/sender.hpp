// The sending end of a dialled rank: the overhead of sending, and the stamps. The message carries
// the time at which it leaves; the sender does not wait for that.
#pragma once

#include <libam/seam/transport.hpp>
#include <transports/dial/card.hpp>
#include <transports/dial/delay_function.hpp>
#include <transports/dial/gap_use.hpp>
#include <transports/dial/lanes.hpp>
#include <transports/dial/overhead.hpp>
#include <transports/dial/own_gap.hpp>
#include <transports/dial/spinner.hpp>

#include <algorithm>

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
        gap_use_("g_s", clock.of_ns(context.settings.dial.g_s)),
        own_gap_(context.settings.dial.added_g_s),
        overhead_of_(clock, context.rank, context.ranks, delay_function::direction::to_peer),
        gap_of_(clock, context.rank, context.ranks, delay_function::direction::to_peer) {}

  am_status load_functions(const base::dials& of) {
    const am_status status = overhead_of_.load("o_s", of.o_s_file);
    return status == AM_OK ? gap_of_.load("g_s", of.g_s_file) : status;
  }

  // The processor is busy for the overhead of sending a message there; returns the time.
  ticks spend_overhead(am_rank to, std::size_t bytes) noexcept {
    lanes_.to(to).prefetch();
    const ticks more = overhead_of_.exists() ? overhead_of_(to, bytes, clock_.now()) : 0;
    return began_ = overhead_.spend(more);
  }
  // The request that has spent the overhead last is over; the rank has done nothing else since.
  void end_request() noexcept {
    if (overhead_.is_whole()) overhead_.end(clock_.now() - began_);
  }
  // A message of words alone is over, but for a poll behind it.
  void end_message() noexcept {
    if (own_gap_.is_wanted()) own_gap_.learn(clock_.now() - began_);
  }
  // A message is handed to the card at `now`.
  void stamp_message(am_rank to, seam::message_class what, std::uint16_t transport, ticks now,
                     std::size_t bytes) noexcept {
    lane_writer& lane = lanes_.to(to);
    if (!lane.exists() && !open(to)) [[unlikely]]
      return;
    constexpr std::size_t most = ~std::uint32_t{0};
    const ticks leave = card_.send(now, bytes, own_gap_.value() + gap_of_(to, bytes, now));
    gap_use_.count(leave > now);
    lane.add(leave, {what, transport, static_cast<std::uint32_t>(std::min(bytes, most))});
  }
  // The same for a message that carries no bytes of its own from here: when it leaves.
  ticks leave_of(ticks now, std::size_t bytes) noexcept {
    return card_.send(now, bytes, own_gap_.value());
  }
  // Of the bytes of gets: the card of the other rank has its gap from here as well.
  void count_gap(bool waits) noexcept { gap_use_.count(waits); }
  [[nodiscard]] const gap_use& use() const noexcept { return gap_use_; }
  [[nodiscard]] ticks own_gap() const noexcept { return own_gap_.value(); }

 private:
  // False: that rank has died.
  bool open(am_rank to) noexcept;

  const seam::transport_context context_;
  lanes& lanes_;
  const spinner& clock_;
  overhead overhead_;
  ticks began_ = 0;
  sender_card card_;
  gap_use gap_use_;
  dial::own_gap own_gap_;
  delay_function overhead_of_;
  delay_function gap_of_;
};

}  // namespace am::detail::dial

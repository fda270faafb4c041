#include <transports/dial/network.hpp>

#include <libam/base/hash.hpp>
#include <libam/base/settings.hpp>
#include <transports/dial/dialled_transport.hpp>

#include <utility>

namespace am::detail::dial {

namespace {

sender_card card_of(const base::dials& of, const spinner& clock) {
  return {clock.of_ns(of.g_s), of.G / clock.ns(1), {of.fragment, of.threshold}};
}

overhead sending_of(const base::dials& of, const spinner& clock) {
  const ticks length = clock.of_ns(of.o_s);
  return {"o_s", clock, clock.length_beside_reading(length), of.whole_o_s ? length : 0};
}

overhead receiving_of(const base::dials& of, const spinner& clock) {
  const ticks length = clock.of_ns(of.o_r);
  return {"o_r", clock, clock.length_for(length), of.whole_o_r ? length : 0};
}

}  // namespace

network::network(const seam::transport_context& context, lanes all)
    : context_(context),
      lanes_(std::move(all)),
      latency_(spinner_.of_ns(context.settings.dial.L)),
      receiving_(receiving_of(context.settings.dial, spinner_)),
      overhead_of_(spinner_, context.rank, context.ranks, delay_function::direction::from_peer),
      sender_(context_, lanes_, spinner_, sending_of(context.settings.dial, spinner_),
              card_of(context.settings.dial, spinner_)),
      receiver_(lanes_, context.rank, context.ranks, spinner_, context.settings.dial),
      gets_(context.arrivals),
      cards_of_others_(context.ranks, card_of(context.settings.dial, spinner_)) {}

network::~network() {
  sender_.use().say_if_unused(spinner_);
  receiver_.use().say_if_unused(spinner_);
}

am_status network::load_functions() {
  const base::dials& of = context_.settings.dial;
  am_status status = sender_.load_functions(of);
  if (status == AM_OK) status = receiver_.load_functions(of);
  return status == AM_OK ? overhead_of_.load("o_r", of.o_r_file) : status;
}

std::unique_ptr<seam::transport> network::wrap(std::unique_ptr<seam::transport> inner) {
  const auto number = static_cast<std::uint16_t>(base::hash_of(inner->name()));
  return std::make_unique<dialled_transport>(std::move(inner), *this, number);
}

unsigned network::deliver(receiver::route& by, unsigned budget, ticks start) noexcept {
  if (!gets_.empty()) gets_.end_due(start);
  delivering_ = &by;
  handled_ = 0;
  const unsigned taken = receiver_.deliver(by, budget, start);
  delivering_ = nullptr;
  const bool waited_since = receiver_.busy_since() > handler_end_;
  if (handled_ == 1 && !waited_since) receiving_.end(spinner_.now() - handler_end_);
  return taken;
}

std::chrono::nanoseconds network::time_left(const receiver::route& by) const noexcept {
  const std::chrono::nanoseconds messages = receiver_.time_left(by);
  if (gets_.empty()) return messages;
  return std::min(messages, spinner_.until(gets_.first_due(), spinner_.now()));
}

// A request to the other card, and the bytes back, as that card would send them.
void network::end_get_later(am_rank from, seam::transfer& one, ticks now) {
  const ticks asked = sender_.leave_of(now, 0) + latency_;
  const ticks leave = cards_of_others_[from].send(asked, one.bytes, sender_.own_gap());
  sender_.count_gap(leave > asked);
  gets_.add(from, one, leave + latency_ + receiver_.latency_of(from, one.bytes, leave));
}

// ---- for core -----------------------------------------------------------------------------------

std::unique_ptr<seam::message_hooks> make_network(const seam::transport_context& context,
                                                  am_status& status) {
  lanes all;
  status = all.make(context);
  if (status != AM_OK) return nullptr;
  auto made = std::make_unique<network>(context, std::move(all));
  status = made->load_functions();
  if (status != AM_OK) return nullptr;
  return made;
}

}  // namespace am::detail::dial

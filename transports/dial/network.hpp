// A rank's part of the network that AM_DIAL describes: its two cards, its lanes, and the overheads
// around handlers. All wrapped transports of the rank share it, because there is one card for all.
#pragma once

#include <libam/base/dials.hpp>
#include <libam/seam/message_hooks.hpp>
#include <libam/seam/return_path.hpp>
#include <transports/dial/delay_function.hpp>
#include <transports/dial/lanes.hpp>
#include <transports/dial/late_gets.hpp>
#include <transports/dial/receiver.hpp>
#include <transports/dial/sender.hpp>
#include <transports/dial/spinner.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace am::detail::dial {

// Stamps the answers that pass through it.
class dialled_answers final : public seam::forwarding_return_path {
 public:
  dialled_answers(sender& sending, receiver& receiving) noexcept
      : sender_(sending), receiver_(receiving) {}
  void wrap_for(am_rank requester, std::uint16_t transport, seam::return_path& inner) noexcept {
    wrap(inner);
    requester_ = requester;
    transport_ = transport;
  }

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override {
    stamp_answer(0);
    const am_status status = forwarding_return_path::reply(handler, w0, w1, w2, w3);
    sender_.end_message();
    return status;
  }
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override {
    stamp_answer(bytes);
    forwarding_return_path::reply_at(handler, words, where, bytes);
  }
  void return_request(am_status reason, std::uint32_t handler,
                      const am_word* words) noexcept override {
    stamp_answer(0);
    forwarding_return_path::return_request(reason, handler, words);
  }
  void answer(const seam::answer& one) noexcept override {
    stamp_answer(one.bytes);
    forwarding_return_path::answer(one);
  }

 private:
  void stamp_answer(std::size_t bytes) noexcept {
    receiver_.own_gap().note_answer();
    sender_.stamp_message(requester_, seam::message_class::answer, transport_,
                          sender_.spend_overhead(requester_, bytes), bytes);
  }

  sender& sender_;
  receiver& receiver_;
  am_rank requester_ = 0;
  std::uint16_t transport_ = 0;
};

class network final : public seam::message_hooks {
 public:
  // The lanes are made.
  network(const seam::transport_context& context, lanes lanes);
  network(const network&) = delete;
  network& operator=(const network&) = delete;
  ~network() override;
  am_status load_functions();

  std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner) override;
  void name_handlers(std::span<const seam::inbox::entry>) override {}
  // One that has come by a wrapped transport.
  [[nodiscard]] bool wants_handler() const noexcept override { return delivering_ != nullptr; }
  void before_handler(const seam::running_message& one) noexcept override {
    receiver_.own_gap().before_handler();
    const ticks more =
        overhead_of_.exists() ? overhead_of_(one.from, one.bytes, spinner_.now()) : 0;
    if (!receiving_.is_whole())
      (void)receiving_.spend(more);
    else if (handled_ == 0)
      (void)receiving_.spend_whole(receiver_.busy_since(), more);
    else  // the rest of a poll comes once
      (void)receiving_.spend_in_full(std::max(handler_end_, receiver_.busy_since()), more);
  }
  void after_handler(const seam::running_message&) noexcept override {
    receiver_.own_gap().after_handler();
    if (!receiving_.is_whole()) return;
    ++handled_;
    handler_end_ = spinner_.now();
  }
  seam::return_path& wrap_answers(seam::return_path& back, am_rank requester) noexcept override {
    answers_.wrap_for(requester, delivering_->number, back);
    return answers_;
  }

  // ---- for the wrappers ----
  [[nodiscard]] const seam::transport_context& context() const noexcept { return context_; }
  am_status open_lane(am_rank to) { return lanes_.open(context_, to); }
  [[nodiscard]] ticks now() const noexcept { return spinner_.now(); }
  [[nodiscard]] sender& sending() noexcept { return sender_; }
  // In a poll that began at `start`.
  unsigned deliver(receiver::route& by, unsigned budget, ticks start) noexcept;
  [[nodiscard]] std::chrono::nanoseconds time_left(const receiver::route& by) const noexcept;
  // The bytes of a get are here, and have been requested at `now`.
  void end_get_later(am_rank from, seam::transfer& one, ticks now);
  void retire(am_rank peer) noexcept { receiver_.retire(peer); }
  void fail_gets(am_rank from) noexcept { gets_.fail(from); }

 private:
  const seam::transport_context context_;
  const spinner spinner_;
  lanes lanes_;
  const ticks latency_;
  overhead receiving_;
  delay_function overhead_of_;
  sender sender_;
  receiver receiver_;
  late_gets gets_;
  std::vector<sender_card> cards_of_others_;  // by rank, for what gets bring from there
  dialled_answers answers_{sender_, receiver_};
  const receiver::route* delivering_ = nullptr;  // the one that delivers
  // Where the overhead of receiving is a whole.
  unsigned handled_ = 0;   // messages of this poll
  ticks handler_end_ = 0;  // of the last one
};

}  // namespace am::detail::dial

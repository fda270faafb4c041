// The requester's end of a channel: writes the ring of requests and the payload room to one peer,
// and reads the ring of its replies.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <libam/seam/plain.hpp>
#include <transports/shm/answer_room.hpp>
#include <transports/shm/growth.hpp>
#include <transports/shm/layout.hpp>
#include <transports/shm/payload_writer.hpp>
#include <transports/shm/poller.hpp>
#include <transports/shm/remote_memory.hpp>

namespace am::detail::shm {

// Without waking, for which a rank may lack the descriptor.
inline constexpr seam::capabilities shm_caps{seam::capability::accepts_unsolicited,
                                             seam::capability::segments, seam::capability::direct};

class request_sender final : public seam::plain_port, public polled_ring {
 public:
  // The channel's fresh pages must exist.
  request_sender(const seam::transport_context& context, am_rank peer, const layout& layout,
                 base::shared_memory& memory, poller& rings) noexcept;

  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  am_status make_answer_room(std::size_t bytes) noexcept override;
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override;
  seam::transfer_status put(seam::transfer& one) noexcept override;
  seam::transfer_status get(seam::transfer& one) noexcept override {
    return peer_memory_.get(one.there, one.here, one.bytes);
  }
  am_word* mapped_word(am_word* where) noexcept override {
    return reinterpret_cast<am_word*>(peer_memory_.mapped(where, sizeof *where));
  }
  void poll_once() noexcept override { poller_.poll_once(); }
  // The last send has noted in the poller that this rank writes here; that covers a run too.
  std::uint32_t poll_after_send() noexcept override { return poller_.poll_after_send(); }
  void refresh_credits() noexcept override;
  void fail_pending(seam::failure_sink& sink) noexcept override;
  [[nodiscard]] std::string describe_peer() const override {
    return peer_memory_.describe_process();
  }
  [[nodiscard]] seam::request_ring request_ring_view() const noexcept override {
    return requests_.request_ring_view(channel_.begun);
  }

  void publish_counters() noexcept override {}  // a requester has none
  bool read_counters() noexcept override;

 private:
  // A run does not call note_write, so it ends with a pause.
  void write_pause() noexcept override {
    account_.end_run();
    pause_.announce(requests_);
  }
  unsigned take(unsigned budget) noexcept override;
  void follow_growth(ring_reader& ring) noexcept override;
  [[gnu::noinline]] std::uint16_t deliver_rare(seam::inbox::batch& replies, std::uint64_t control,
                                               const slot& reply) noexcept;
  void deliver_answer(seam::inbox::batch& answers, std::uint64_t control,
                      const slot& reply) noexcept;
  void publish(slot& filled, kind what, std::uint32_t handler, std::uint64_t more = 0) noexcept;
  [[nodiscard]] bool must_signal() const noexcept;
  [[gnu::noinline]] am_status signal_target() noexcept;
  void read_silent() noexcept;
  [[gnu::noinline]] void grow() noexcept;

  ring_writer requests_;
  channel_state& channel_;
  writer_pause pause_;
  control_block& peer_block_;
  seam::inbox& arrivals_;
  seam::boot& job_;
  std::uint64_t my_bit_;
  poller& poller_;
  std::uint16_t silents_seen_ = 0;  // handled silent requests, by `silent` or by the last reply

  growth growth_;
  payload_writer payload_;
  answer_room answers_;
  remote_memory peer_memory_;
};

}  // namespace am::detail::shm

// The target's end of a channel: reads the ring of one peer's requests, writes the ring of replies,
// and publishes the counters of what has been handled.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <libam/seam/transport.hpp>
#include <transports/shm/layout.hpp>
#include <transports/shm/polled_ring.hpp>
#include <transports/shm/remote_memory.hpp>

namespace am::detail::shm {

class request_receiver final : public seam::return_path, public polled_ring {
 public:
  request_receiver(const seam::transport_context& context, am_rank source, const layout& layout,
                   base::shared_memory& memory, const base::wakeup& wakeup) noexcept;

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override;
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override;
  void return_request(am_status reason, std::uint32_t handler,
                      const am_word* words) noexcept override;
  void answer(const seam::answer& one) noexcept override;
  seam::transfer_status place(void* where, const void* data, std::size_t bytes) noexcept override {
    return requester_.memory.put(where, data, bytes);
  }
  [[nodiscard]] bool requester_is_dead() const noexcept override {
    return requester_.memory.is_gone();
  }

  void publish_counters() noexcept override {
    if (silent_.has_unpublished() || payload_done_.has_unpublished()) write_counters();
  }
  bool read_counters() noexcept override { return false; }  // a requester has none

 private:
  void write_pause() noexcept override { pause_.announce(replies_); }
  unsigned take(unsigned budget) noexcept override;
  void handle(seam::inbox::batch& requests, std::uint64_t control, const slot& request) noexcept;
  [[nodiscard, gnu::noinline]] bool handle_medium(seam::inbox::batch& requests,
                                                  std::uint64_t control,
                                                  const slot& request) noexcept;
  void handle_request_with_room(seam::inbox::batch& requests, std::uint64_t control,
                                const slot& request, const payload_place& place) noexcept;
  [[noreturn]] void reject_growth(std::uint32_t slots) const noexcept;
  void follow_growth(ring_reader& ring) noexcept override;
  [[nodiscard]] bool publish_reply(slot& filled, std::uint64_t control) noexcept;
  [[nodiscard]] bool must_signal() const noexcept;
  [[gnu::noinline]] am_status signal_requester() noexcept;
  void write_counters() noexcept;

  ring_writer replies_;
  const std::uint32_t window_;  // W
  seam::batched_counter silent_;
  const wire::payload_sizes payloads_;
  seam::batched_counter payload_done_;
  channel_state& channel_;
  writer_pause pause_;
  seam::inbox& arrivals_;
  seam::boot& job_;
  const std::uint32_t most_slots_;
  const std::byte* payload_;
  // Where answers are written.
  struct {
    std::byte* room;              // for the payload of answers, in the requester's region
    std::uint32_t answer_at = 0;  // the offset there for the request that runs
    remote_memory memory;
  } requester_;
  control_block& peer_block_;
  std::uint64_t my_bit_;
  const base::wakeup& wakeup_;
};

}  // namespace am::detail::shm

// The transport between ranks of one host through shared memory. First contact needs no action of
// the target: the sender makes the channel in its own region and enters itself in the target's list
// of new senders.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <libam/seam/plain.hpp>
#include <transports/shm/layout.hpp>
#include <transports/shm/poller.hpp>
#include <transports/shm/request_receiver.hpp>
#include <transports/shm/request_sender.hpp>
#include <transports/shm/segments.hpp>

#include <memory>
#include <vector>

namespace am::detail::shm {

class shared_memory_transport final : public seam::plain_transport, private poller {
 public:
  shared_memory_transport(const seam::transport_context& context, base::shared_memory memory,
                          const layout& layout);

  [[nodiscard]] std::string_view name() const noexcept override { return "shm"; }
  [[nodiscard]] std::vector<std::byte> address() const override;
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities caps() const noexcept override {
    return shm_caps.with(seam::capability::wakes, wakeup().descriptor() >= 0);
  }
  unsigned poll(unsigned budget) noexcept override { return poller::poll(budget); }
  void advance() noexcept override { poller::advance(); }
  [[nodiscard]] bool has_come(am_rank peer, seam::message_class which) noexcept override {
    const polled_ring* const ring = ring_of(peer, which);
    return ring != nullptr && ring->has_message();
  }
  unsigned deliver_from(am_rank peer, seam::message_class which, unsigned most) noexcept override {
    polled_ring* const ring = ring_of(peer, which);
    return ring == nullptr ? 0 : poller::deliver_from(*ring, most);
  }
  unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override {
    return layout_.payloads().max_medium();
  }
  void* make_segment(std::size_t bytes) noexcept override { return segments_.create(bytes); }
  void free_segment(void* address) noexcept override { segments_.destroy(address); }
  am_status flush() noexcept override { return AM_OK; }  // what is accepted is in the ring
  [[nodiscard]] int wake_descriptor() const noexcept override { return wakeup().descriptor(); }
  std::chrono::nanoseconds arm() noexcept override { return poller::arm(); }
  void disarm() noexcept override { poller::disarm(); }

 private:
  struct job_parameters {
    std::uint64_t job_bytes;
    std::uint64_t most_slots;
    std::uint64_t max_medium;
    std::uint64_t host_id;
  };

  // Null before it exists.
  [[nodiscard]] polled_ring* ring_of(am_rank peer, seam::message_class which) const noexcept {
    if (which == seam::message_class::request) return receivers_[peer].get();
    return senders_[peer].get();
  }
  void accept_new_senders() noexcept override;
  void check_exit_reports() noexcept override;
  am_status reserve_channel(am_rank peer) noexcept;
  void announce(am_rank peer) noexcept;

  const seam::transport_context context_;
  base::shared_memory memory_;
  const layout layout_;
  segments segments_;
  // Read by peers that copy to this process. Differs in every process, so that none is taken for
  // another.
  const std::uint64_t token_;
  std::vector<std::unique_ptr<request_sender>> senders_;  // by rank, null before first contact
  std::vector<std::unique_ptr<request_receiver>> receivers_;
  std::vector<bool> dead_;
};

seam::make_transport_fn make;

}  // namespace am::detail::shm

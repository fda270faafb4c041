// Ranks of one host through memory they share. First contact needs nobody's help: the sender makes
// the channel in its own region and puts itself on the target's list of arrivals.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <libam/seam/plain.hpp>
#include <transports/shm/incoming.hpp>
#include <transports/shm/layout.hpp>
#include <transports/shm/outgoing.hpp>
#include <transports/shm/poller.hpp>
#include <transports/shm/segments.hpp>

#include <memory>
#include <vector>

namespace am::detail::shm {

class shared_memory_transport final : public seam::plain_transport, private poller {
 public:
  shared_memory_transport(const seam::host& host, base::shared_memory memory, const layout& places);

  [[nodiscard]] std::string_view name() const noexcept override { return "shm"; }
  [[nodiscard]] std::vector<std::byte> address() const override;
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities can() const noexcept override {
    return shm_can.with(seam::capability::wakes, bell().descriptor() >= 0);
  }
  unsigned poll(unsigned budget) noexcept override { return poller::poll(budget); }
  unsigned last_words(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override {
    return places_.payloads().max_medium();
  }
  void* make_segment(std::size_t bytes) noexcept override { return segments_.create(bytes); }
  void free_segment(void* address) noexcept override { segments_.destroy(address); }
  am_status flush() noexcept override { return AM_OK; }  // what is accepted is in the ring
  [[nodiscard]] int wake_descriptor() const noexcept override { return bell().descriptor(); }
  std::chrono::nanoseconds arm() noexcept override { return poller::arm(); }
  void disarm() noexcept override { poller::disarm(); }

 private:
  struct agreement {
    std::uint64_t job_bytes;
    std::uint64_t most_slots;
    std::uint64_t max_medium;
    std::uint64_t memory_name;
  };

  void welcome_arrivals() noexcept override;
  void look_for_deaths() noexcept override;
  am_status reserve_channel(am_rank peer) noexcept;
  void announce(am_rank peer) noexcept;

  const seam::host host_;
  base::shared_memory memory_;
  const layout places_;
  segments segments_;
  const std::uint64_t memory_name_;
  // Read by peers that would copy to this process: another one in each, or they might take a
  // stranger's memory for its peer's.
  const std::uint64_t token_;
  std::vector<std::unique_ptr<outgoing>> outgoing_;  // by rank, null before first contact
  std::vector<std::unique_ptr<incoming>> incoming_;
  std::vector<bool> dead_;
};

seam::make_transport make;

}  // namespace am::detail::shm

// The target's end of a channel: reads one peer's requests, writes the replies, publishes what it
// owes.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <libam/seam/transport.hpp>
#include <transports/shm/layout.hpp>
#include <transports/shm/remote_memory.hpp>
#include <transports/shm/watch.hpp>

namespace am::detail::shm {

class incoming final : public seam::way_back, public watch {
 public:
  incoming(const seam::host& host, am_rank source, const layout& places,
           base::shared_memory& memory, const base::bell& bell) noexcept;

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override;
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override;
  void give_back(am_status reason, std::uint32_t handler, const am_word* words) noexcept override;
  void answer(const seam::answer& one) noexcept override;
  seam::reach place(void* where, const void* data, std::size_t bytes) noexcept override {
    return theirs_.memory.put(where, data, bytes);
  }
  [[nodiscard]] bool leads_nowhere() const noexcept override { return theirs_.memory.is_gone(); }

  void settle() noexcept override {
    if (silent_.owes() || payload_done_.owes()) publish();
  }
  bool collect() noexcept override { return false; }  // a requester owes nothing

 private:
  void pause() noexcept override { pause_.tell(replies_); }
  unsigned take(unsigned budget) noexcept override;
  void handle(seam::inbox::batch& requests, std::uint64_t control, const slot& request) noexcept;
  [[nodiscard, gnu::noinline]] bool handle_medium(seam::inbox::batch& requests,
                                                  std::uint64_t control,
                                                  const slot& request) noexcept;
  void handle_asking(seam::inbox::batch& requests, std::uint64_t control, const slot& request,
                     const payload_place& place) noexcept;
  [[noreturn]] void accuse_growth(std::uint32_t slots) const noexcept;
  void follow_growth() noexcept;
  [[nodiscard]] bool put(slot& filled, std::uint64_t control) noexcept;
  [[nodiscard]] bool must_knock() const noexcept;
  [[gnu::noinline]] am_status knock() noexcept;
  void publish() noexcept;

  ring_writer replies_;
  const std::uint32_t window_;  // W
  seam::owed_counter silent_;
  const wire::payload_sizes payloads_;
  seam::owed_counter payload_done_;
  channel_lines& lines_;
  writer_pause pause_;
  seam::inbox& arrivals_;
  seam::boot& job_;
  const std::uint32_t most_slots_;
  const std::byte* payload_;
  // Where answers go.
  struct {
    std::byte* room;       // that for their payload, in the requester's region
    std::uint32_t at = 0;  // in it, of the request that runs
    remote_memory memory;
  } theirs_;
  doorstep& their_doorstep_;
  std::uint64_t my_bit_;
  const base::bell& bell_;
};

}  // namespace am::detail::shm

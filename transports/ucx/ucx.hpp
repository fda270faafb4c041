// Ranks of one host or of many through UCX, over whatever network and shared memory it finds. A
// pair is put on it when a message has gone both ways.
#pragma once

#include <libam/packed/peers.hpp>
#include <libam/seam/plain.hpp>
#include <transports/ucx/announced_segments.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/first_contact.hpp>
#include <transports/ucx/looks.hpp>
#include <transports/ucx/lost_peers.hpp>
#include <transports/ucx/short_ids.hpp>
#include <transports/ucx/turns.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::ucx {

class ucx_transport final : public seam::plain_transport, private channel_keeper, private hearer {
 public:
  ucx_transport(const seam::host& host, std::unique_ptr<engine> ucx);
  ~ucx_transport() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "ucx"; }
  [[nodiscard]] std::vector<std::byte> address() const override { return contact_.address(); }
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities can() const noexcept override {
    return ucx_can.with(seam::capability::wakes, ucx_->descriptor() >= 0);
  }
  unsigned poll(unsigned budget) noexcept override;
  unsigned last_words(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override {
    return ucx_->payloads().max_medium();
  }
  void* make_segment(std::size_t bytes) noexcept override { return segments_.make(bytes); }
  void adopt_segment(void* address, std::size_t bytes) noexcept override {
    segments_.adopt(address, bytes);
  }
  bool abandon_segment(void* address) noexcept override { return segments_.abandon(address); }
  void free_segment(void* address) noexcept override { segments_.free(address); }
  am_status flush() noexcept override;
  void leave() noexcept override { leaving_ = true; }
  [[nodiscard]] int wake_descriptor() const noexcept override { return ucx_->descriptor(); }
  std::chrono::nanoseconds arm() noexcept override;

 private:
  // ---- channel_keeper ----
  void is_lost(channel& one, std::string_view why, packed::sign of) noexcept override;
  void progress_quietly() noexcept override;
  void has_input(channel& one) noexcept override { turns_.has_input(one); }
  void has_sent() noexcept override { looks_.have_a_talk(); }
  void begins_transfer() noexcept override { looks_.begin_transfer(); }
  void ends_transfer() noexcept override { looks_.end_transfer(); }

  // ---- hearer ----
  bool has_come(kind what, am_rank from, std::span<const std::byte> bytes,
                bool lent) noexcept override;
  void has_come_alone(const lone_message& what, std::span<const std::byte> words) noexcept override;

  bool hear_frame(channel& with, std::span<const std::byte> bytes, bool lent) noexcept;
  void hear_note(kind what, channel& with, std::span<const std::byte> bytes) noexcept;
  void send_open_frames() noexcept;
  [[nodiscard]] bool has_work() const noexcept;
  void look(unsigned budget) noexcept;
  void close_endpoints() noexcept;

  const seam::host host_;
  std::unique_ptr<engine> ucx_;
  peers peers_;
  announced_segments segments_;
  lost_peers lost_;
  first_contact contact_;
  own_short_ids short_ids_;
  turns turns_;
  looks looks_;
  unsigned budget_ = 0;     // of the poll that runs
  bool must_look_ = false;  // UCX has said that something is there, and says it once
  bool leaving_ = false;
};

seam::make_transport make;

}  // namespace am::detail::ucx

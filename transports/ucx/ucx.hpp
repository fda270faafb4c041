// Ranks of one host or of many through UCX, over the networks and shared memory that it finds. A
// pair uses it once a message has gone both ways.
#pragma once

#include <libam/packed/peers.hpp>
#include <libam/seam/plain.hpp>
#include <transports/ucx/announced_segments.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/handshake.hpp>
#include <transports/ucx/host_monitor.hpp>
#include <transports/ucx/lost_peers.hpp>
#include <transports/ucx/poll_schedule.hpp>
#include <transports/ucx/ready_channels.hpp>
#include <transports/ucx/short_ids.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::ucx {

class ucx_transport final : public seam::plain_transport,
                            private channel_manager,
                            private message_sink {
 public:
  // `opened`: the descriptors that UCX has opened while it started.
  ucx_transport(const seam::transport_context& context, std::unique_ptr<engine> ucx,
                std::span<const int> opened);
  ~ucx_transport() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "ucx"; }
  [[nodiscard]] std::vector<std::byte> address() const override { return handshake_.address(); }
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities caps() const noexcept override {
    return ucx_caps.with(seam::capability::wakes, ucx_->descriptor() >= 0);
  }
  unsigned poll(unsigned budget) noexcept override;
  void advance() noexcept override;
  [[nodiscard]] bool has_come(am_rank peer, seam::message_class which) noexcept override;
  unsigned deliver_from(am_rank peer, seam::message_class which, unsigned most) noexcept override;
  unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override {
    return ucx_->payloads().max_medium();
  }
  void* make_segment(std::size_t bytes) noexcept override { return segments_.make(bytes); }
  void register_segment(void* address, std::size_t bytes) noexcept override {
    segments_.register_memory(address, bytes);
  }
  bool deregister_segment(void* address) noexcept override { return segments_.deregister(address); }
  void free_segment(void* address) noexcept override { segments_.free(address); }
  am_status flush() noexcept override;
  void leave() noexcept override { leaving_ = true; }
  [[nodiscard]] int wake_descriptor() const noexcept override { return ucx_->descriptor(); }
  std::chrono::nanoseconds arm() noexcept override;

 private:
  // ---- channel_manager ----
  void on_lost(channel& one, std::string_view why, packed::loss_cause of) noexcept override;
  void progress_without_delivery() noexcept override;
  void on_input(channel& one) noexcept override { ready_.on_input(one); }
  void on_frame_sent() noexcept override { poll_schedule_.note_traffic(); }
  void on_transfer_begin() noexcept override { poll_schedule_.begin_transfer(); }
  void on_transfer_end() noexcept override { poll_schedule_.end_transfer(); }

  // ---- message_sink ----
  bool on_message(kind what, am_rank from, std::span<const std::byte> bytes,
                  bool holdable) noexcept override;
  void on_lone_message(const lone_message& what,
                       std::span<const std::byte> words) noexcept override;

  void on_control_message(kind what, channel& with, std::span<const std::byte> bytes) noexcept;
  void send_open_frames() noexcept;
  [[nodiscard]] bool has_work() const noexcept;
  void poll_ucx(unsigned budget) noexcept;

  const seam::transport_context context_;
  std::unique_ptr<engine> ucx_;
  peers peers_;
  announced_segments segments_;
  lost_peers lost_;
  host_monitor hosts_;
  handshake handshake_;
  own_short_ids short_ids_;
  ready_channels ready_;
  poll_schedule poll_schedule_;
  unsigned budget_ = 0;     // of the poll that runs
  bool must_poll_ = false;  // UCX has reported that there is something, which it does only once
  bool leaving_ = false;
};

seam::make_transport_fn make;

}  // namespace am::detail::ucx
